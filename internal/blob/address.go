package blob

import (
	"errors"
	"net/url"
	"path"
	"strings"
)

// Address is a place in object storage: s3://bucket/prefix?endpoint=https://host:port&region=name.
type Address struct {
	Bucket   string
	Prefix   string // without slashes around it
	Endpoint string // host and port
	Secure   bool   // https
	Region   string
}

const amazon = "s3.amazonaws.com"

// errAddress does not repeat the address, because it may contain a password.
var errAddress = errors.New("--media-url must be like s3://bucket/prefix?endpoint=https://storage.example.com&region=eu-1; " +
	"the endpoint can be left out for Amazon S3, and the credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

// ParseAddress parses an address.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Hostname() == "" || u.Port() != "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return Address{}, errAddress
	}
	a := Address{Bucket: u.Hostname(), Prefix: strings.Trim(path.Clean("/"+u.Path), "/"), Endpoint: amazon, Secure: true}
	for name, values := range u.Query() {
		switch {
		case len(values) != 1 || values[0] == "":
			return Address{}, errAddress
		case name == "region":
			a.Region = values[0]
		case name == "endpoint":
			err = a.setEndpoint(values[0])
		default:
			return Address{}, errAddress
		}
	}
	return a, err
}

func (a *Address) setEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return errAddress
	}
	a.Endpoint, a.Secure = u.Host, u.Scheme == "https"
	return nil
}

// String is the address for people.
func (a Address) String() string {
	return "s3://" + path.Join(a.Bucket, a.Prefix) + " at " + a.Endpoint
}
