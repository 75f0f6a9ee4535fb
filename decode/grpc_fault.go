package decode

import (
	"strconv"
	"strings"

	"a2ascope/capture"
	"a2ascope/decode/schema"
	"a2ascope/decode/spec"
)

// grpcField finds a field of the trailers, or of the response head where the
// server sent trailers only.
func grpcField(x *capture.Exchange, name string) (value string, at Place, ok bool) {
	if x.Trailer != nil {
		if v, ok := x.Trailer.Fields.Lookup(name); ok {
			return v, TrailerPlace(name), true
		}
	}
	if x.Response != nil {
		if v, ok := x.Response.Fields.Lookup(name); ok {
			return v, HeaderPlace("response", name), true
		}
	}
	return "", "", false
}

// grpcStatus reads the status of a call and the fault it stands for.
func (r *Reader) grpcStatus(x *capture.Exchange) {
	c := r.c
	raw, at, ok := grpcField(x, "grpc-status")
	if !ok {
		if c.Binding == spec.GRPC && x.Response != nil && !x.Response.Torn && !grpcMedia(x.Response.MediaType()) && x.ReceivedDone {
			r.notGRPC(x)
		}
		return
	}
	status, err := strconv.Atoi(strings.TrimSpace(raw))
	if err != nil || status < 0 {
		r.problem("grpc-status-malformed", "grpc-status is no number: "+clip(raw, shortLimit), at)
		return
	}
	c.GRPC.Status, c.GRPC.StatusAt = status, at
	if msg, _, ok := grpcField(x, "grpc-message"); ok {
		c.GRPC.Message = percentDecode(msg)
	}
	if status == 0 {
		c.Fault = nil
		return
	}
	f := &Fault{Shape: "grpc-bare", HTTP: statusOf(x), GRPC: status, Message: c.GRPC.Message, At: at, Sure: Certain,
		InBand: len(c.Events) > 0}
	if bin, binAt, ok := grpcField(x, "grpc-status-details-bin"); ok {
		r.grpcDetails(f, bin, binAt)
	}
	if f.A2A == "" && f.Std == "" {
		r.grpcBare(f)
	}
	c.Fault = f
}

func (r *Reader) grpcDetails(f *Fault, bin string, at Place) {
	st, err := schema.DecodeStatusDetails(bin)
	if err != nil {
		r.problem("grpc-details-broken", "grpc-status-details-bin cannot be read: "+err.Error(), at)
		return
	}
	if len(st.Broken) > 0 && st.Code == 0 && len(st.Details) == 0 {
		r.problem("grpc-details-broken", "grpc-status-details-bin holds no google.rpc.Status: "+st.Broken[0].Text, at)
		return
	}
	f.DetailsCode = st.Code
	for i := range st.Details {
		d := &st.Details[i]
		f.Details = append(f.Details, d.Type)
		if d.ErrorInfo != nil && f.Reason == "" {
			f.Shape = "grpc-errorinfo"
			r.takeInfo(f, d.ErrorInfo.Reason, d.ErrorInfo.Domain, at)
			if f.HasInfo && r.grpcVersion != "" {
				r.packageSignal() // A2A's handler answered, so the answer is of the package
			}
		}
		for _, v := range d.BadRequest {
			if len(f.Violations) < maxDetails {
				f.Violations = append(f.Violations, Violation{clip(v.Field, shortLimit), clip(v.Description, messageLimit)})
			}
		}
	}
	if st.Code != 0 && st.Code != f.GRPC {
		r.problem("grpc-details-differ", "grpc-status is "+itoa(f.GRPC)+" and the code in grpc-status-details-bin "+itoa(st.Code), at)
	}
}

// grpcBare names a status without details as far as it can be: 0.3 servers say
// it in the message, at best by the error's class name.
func (r *Reader) grpcBare(f *Fault) {
	word, _, _ := strings.Cut(f.Message, ":")
	if info, ok := spec.ErrorByName(strings.TrimSpace(word)); ok && !strings.ContainsRune(word, ' ') {
		f.A2A, f.Sure = info.Name, Likely
		return
	}
	lower := strings.ToLower(f.Message)
	switch f.GRPC {
	case 5: // NOT_FOUND
		if strings.Contains(lower, "task") && strings.Contains(lower, "not found") && !strings.Contains(lower, "config") {
			f.A2A, f.Sure = "TaskNotFoundError", Likely
		}
	case 9, 12: // FAILED_PRECONDITION; the 0.3 servers in Python and Java say UNIMPLEMENTED
		if r.c.Operation == spec.CancelTask && strings.Contains(lower, "cancel") && strings.Contains(lower, "task") &&
			!strings.Contains(lower, "method") && !strings.Contains(lower, "implement") {
			f.A2A, f.Sure = "TaskNotCancelableError", Likely
		}
	}
}

// notGRPC: the answer is no gRPC at all, whatever a client makes of it.
func (r *Reader) notGRPC(x *capture.Exchange) {
	f := r.foreignFault(x)
	r.c.Fault = f
}

// percentDecode decodes grpc-message; what is no valid escape stays.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := unhex(s[i+1]), unhex(s[i+2]); hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
