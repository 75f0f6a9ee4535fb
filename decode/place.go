package decode

import (
	"strconv"
	"strings"
)

// Place points into an exchange:
//
//	request/line                      method and target
//	request/header/a2a-version        a header, lower case (…/header/a2a-version/1: the second of that name)
//	request/query/A2A-Version         a query parameter
//	request/frame/0#/method           RFC 6901 pointer into the JSON of a frame
//	response/line  response/header/…  response/frame/3#/result/status
//	response/trailer/grpc-status      trailer or gRPC metadata
//	request, response, exchange       the whole side, the whole exchange
type Place string

// FramePlace points at a value in a frame of a side ("request", "response").
func FramePlace(side string, frame int, pointer string) Place {
	return Place(side + "/frame/" + strconv.Itoa(frame) + "#" + pointer)
}

// HeaderPlace points at a header of a side.
func HeaderPlace(side, name string) Place {
	return Place(side + "/header/" + strings.ToLower(name))
}

// TrailerPlace points at a response trailer.
func TrailerPlace(name string) Place {
	if name == "grpc-status" { // of every call
		return "response/trailer/grpc-status"
	}
	return Place("response/trailer/" + strings.ToLower(name))
}

// Below appends a JSON pointer to a place inside a frame.
func (p Place) Below(pointer string) Place {
	if p == "" {
		return ""
	}
	if !strings.Contains(string(p), "#") {
		return p + "#" + Place(pointer)
	}
	return p + Place(pointer)
}
