// Package chat is Parley's domain: its nouns, the rules over them, and the codes
// by which a broken rule is named. Rules are functions over loaded state; nothing
// here reads a clock, a store or the network, and only the standard library is imported.
package chat
