// Package netguardtest resolves names in tests.
package netguardtest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
)

const (
	typeA    = 1
	typeAAAA = 28
	header   = 12
)

// Resolver resolves every name with the function, each time anew. A name without addresses does not exist.
func Resolver(lookup func(host string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go serve(server, lookup)
		return client, nil
	}}
}

// serve answers DNS questions over a stream, where each message follows its length.
func serve(conn net.Conn, lookup func(string) []netip.Addr) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := reply(question, lookup)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func reply(question []byte, lookup func(string) []netip.Addr) []byte {
	host, end := name(question)
	kind := binary.BigEndian.Uint16(question[end:])
	addrs := lookup(host)
	flags := uint16(0x8180) // an answer, recursion as asked
	if len(addrs) == 0 {
		flags |= 3 // no such name
	}
	out := append([]byte{}, question[:2]...)
	out = binary.BigEndian.AppendUint16(out, flags)
	out = append(out, 0, 1, 0, 0, 0, 0, 0, 0)
	out = append(out, question[header:end+4]...)
	count := uint16(0)
	for _, a := range addrs {
		if a.Is4() != (kind == typeA) || (kind != typeA && kind != typeAAAA) {
			continue
		}
		count++
		out = append(out, 0xc0, header) // the name of the question
		out = binary.BigEndian.AppendUint16(out, kind)
		out = append(out, 0, 1, 0, 0, 0, 0) // class IN, no caching
		out = binary.BigEndian.AppendUint16(out, uint16(a.BitLen()/8))
		out = append(out, a.AsSlice()...)
	}
	binary.BigEndian.PutUint16(out[6:], count)
	return out
}

// name reads the name of a question and returns where it ends.
func name(question []byte) (host string, end int) {
	var labels []string
	at := header
	for question[at] != 0 {
		size := int(question[at])
		labels = append(labels, string(question[at+1:at+1+size]))
		at += 1 + size
	}
	return strings.ToLower(strings.Join(labels, ".")), at + 1
}
