package diagnose

// AgentFacts is what is known of the agent that was called.
type AgentFacts struct {
	Known       bool     `cel:"known"` // a card of it was read
	Authority   string   `cel:"authority"`
	Vocabulary  string   `cel:"vocabulary"`
	HasV10      bool     `cel:"has_v10"` // the card has an entry of the generation
	HasV03      bool     `cel:"has_v03"`
	Bindings    []string `cel:"bindings"` // of the card
	Streaming   string   `cel:"streaming"`
	PushNotes   string   `cel:"push_notifications"`
	ExtCard     string   `cel:"extended_card"`
	Denies      string   `cel:"denies"`       // the capability the operation needs and the card does not offer: streaming, pushNotifications, extendedAgentCard
	Grants      string   `cel:"grants"`       // the capability the operation needs and the card offers
	Speaks      string   `cel:"speaks"`       // generations its answers showed over all bindings: "", 0.3, 1.0, both
	CardDiffers bool     `cel:"card_differs"` // the card was fetched with another A2A-Version than this call declares

	Calls    int      `cel:"calls"`
	Secured  bool     `cel:"secured"`
	Required []string `cel:"required_extensions"`

	card   *card
	origin *origin
	memory *memory
}

// Serves reports whether the agent's card declares, or its answers showed, the
// version at the binding. Versions are compared by generation.
func (a *AgentFacts) Serves(binding, version string) bool {
	g := generation(version)
	if g == "" {
		return false
	}
	for b, v := range a.served {
		if (binding == "" || b == binding) && generation(v) == g {
			return true
		}
	}
	return false
}

// Versions returns what the card declares, or the answers showed, for a binding.
func (a *AgentFacts) Versions(binding string) []string {
	var vs []string
	for b, v := range a.served {
		if binding == "" || b == binding {
			vs = addOnce(vs, v)
		}
	}
	return vs
}

// served yields what the bindings of the agent declare or showed.
func (a *AgentFacts) served(yield func(binding, version string) bool) {
	if a.card != nil {
		for i := range a.card.groups {
			for _, v := range a.card.groups[i].versions {
				if !yield(a.card.groups[i].binding, v) {
					return
				}
			}
		}
	}
	if a.origin == nil {
		return
	}
	for _, key := range a.origin.peers {
		p := a.memory.peers.items[key]
		if p == nil {
			continue
		}
		for i, n := range p.value.answered {
			if n > 0 && !yield(key.binding, string(histogramVersions[i])) {
				return
			}
		}
	}
}

// IfaceFacts is the interface that was called: the entry of the card that
// matches, and how the address really answered.
type IfaceFacts struct {
	Level    string   `cel:"level"` // exact, same-url (another binding), same-origin, none; "" without a card
	Exact    bool     `cel:"exact"`
	URL      string   `cel:"url"`
	Binding  string   `cel:"binding"`
	Versions []string `cel:"versions"` // declared for exactly this url and binding, Major.Minor
	HasV10   bool     `cel:"has_v10"`
	HasV03   bool     `cel:"has_v03"`
	Tenant   string   `cel:"tenant"`
	Place    string   `cel:"place"` // of the entry, in the card's exchange

	DeclaresSpoken bool `cel:"declares_spoken"` // the version of the call is among Versions
	DeclaresHeader bool `cel:"declares_header"` // the declared value is among Versions
	EndsInV1       bool `cel:"ends_in_v1"`
	OtherFirst     bool `cel:"other_first"` // the card lists another binding before that of the call

	Better        string `cel:"better"` // url of another entry that declares the version spoken, where this one does not; "" when none
	BetterBinding string `cel:"better_binding"`
	BetterSame    bool   `cel:"better_same"`   // with the same binding
	NewerSame     bool   `cel:"newer_same"`    // the card lists 1.0 for the same binding
	NewerURL      string `cel:"newer_url"`     // its url
	CardExchange  int    `cel:"card_exchange"` // the exchange the card was read in

	Speaks           string   `cel:"speaks"`       // the server's generation by card and answers: "", 0.3, 1.0, both
	SpeaksFrom       string   `cel:"speaks_from"`  // card, answers, both, this answer
	Overruled        bool     `cel:"overruled"`    // the answers show a generation the card does not declare
	Answered         []string `cel:"answered"`     // versions of answers before this one
	Accepted         []string `cel:"accepted"`     // declared values ("absent" for none) answered ok before
	Refused          []string `cel:"refused"`      // declared values refused with VersionNotSupported before
	Served           bool     `cel:"served"`       // answered ok to the generation of this call before
	ServedOther      bool     `cel:"served_other"` // answered ok to the other generation before
	ServedV03        bool     `cel:"served_v03"`
	ServedV10        bool     `cel:"served_v10"`
	ServedName       bool     `cel:"served_name"`       // answered ok to this very name before
	NameOKUnder      string   `cel:"name_ok_under"`     // a declared value ("absent" for none) other than this call's under which the same name was answered ok
	KeyCaseOK        bool     `cel:"key_case_ok"`       // the same name and value were accepted under another spelling of the header's name
	KeyCaseRefused   bool     `cel:"key_case_refused"`  // the same name and value failed under another spelling, where this value was refused as a version
	ServedPackage    bool     `cel:"served_package"`    // this gRPC package was answered by an A2A handler before
	OtherPackage     bool     `cel:"other_package"`     // the other of the two gRPC packages was answered before
	AllUnimplemented bool     `cel:"all_unimplemented"` // every call before this one (at least one) ended UNIMPLEMENTED
	AllForeign       bool     `cel:"all_foreign"`       // every call before this one (at least one) was answered by no A2A handler: 404 and its like
	ServedV1         bool     `cel:"served_v1"`         // answered ok, in 0.3, below /v1
	ServedPlain      bool     `cel:"served_plain"`      // answered ok without a prefix
	Verbs            []string `cel:"verbs"`             // verbs that subscribed
	DeafVerbs        []string `cel:"deaf_verbs"`        // verbs whose subscription was refused as a wrong route or id
	OtherSpelling    bool     `cel:"other_spelling"`    // the route spelled the other way (slash or colon) was answered ok before
	Calls            int      `cel:"calls"`
	Failures         int      `cel:"failures"`

	Policy *PolicyFacts `cel:"policy"`

	TurnedV10      bool     `cel:"turned_v10"`      // refused a call of 1.0, declared as such, as an unknown name, route or version
	TurnedV03      bool     `cel:"turned_v03"`      // the same for 0.3
	TurnedNow      string   `cel:"turned_now"`      // the generation of this call where it was refused so, "" where it was not
	Outside        bool     `cel:"outside"`         // cards of this agent are known, and none lists the address of the call
	Listed         []string `cel:"listed"`          // the urls that the newest of them lists, with their bindings
	Redirected     bool     `cel:"redirected"`      // a redirect led clients to this address before
	Skipped        string   `cel:"skipped"`         // an earlier entry of supportedInterfaces that this client can use and never called: its url
	SkippedBinding string   `cel:"skipped_binding"` // its binding
	SkippedSame    bool     `cel:"skipped_same"`    // it has the binding and version of the entry that was called
}

// ClientFacts is what is known of the caller.
type ClientFacts struct {
	Known          bool     `cel:"known"`     // it was seen before this exchange
	SpokeV10       bool     `cel:"spoke_v10"` // calls, or the header of its card fetch, before this exchange
	SpokeV03       bool     `cel:"spoke_v03"`
	SentVersion    bool     `cel:"sent_version"` // it sent an A2A-Version, also on this exchange: 0.3 has no such header
	KnowsV10       bool     `cel:"knows_v10"`    // it spoke 1.0, sent an A2A-Version, or found this address in supportedInterfaces
	ReadsV10       bool     `cel:"reads_v10"`    // it read a card of 1.0 alone and called an entry of it
	Bindings       []string `cel:"bindings"`     // with success
	ReadCard       bool     `cel:"read_card"`    // it read a card of this agent
	CardVocabulary string   `cel:"card_vocabulary"`
	CardDeclared   string   `cel:"card_declared"` // A2A-Version of that fetch
	Calls          int      `cel:"calls"`         // to this agent
	GaveUp         bool     `cel:"gave_up"`       // silent checkpoint of a card fetch: no call to any url of the card followed
	FailedAfter    bool     `cel:"failed_after"`  // silent checkpoint of a card fetch: every call that followed failed
	CalledListed   bool     `cel:"called_listed"` // silent checkpoint of a card fetch: a call to an entry of the card followed
	Unanswered     bool     `cel:"unanswered"`    // silent checkpoint of a card fetch: none of the calls that followed was answered
	SpokeAfter     string   `cel:"spoke_after"`   // silent checkpoint of a card fetch: generations of the calls that followed: "", 0.3, 1.0, both
	OKAfter        string   `cel:"ok_after"`      // the generations among them that were answered ok
}

// TaskFacts is what is known of the task the call is about.
type TaskFacts struct {
	ID           string `cel:"id"`
	Known        bool   `cel:"known"` // the agent returned it or found it before
	State        string `cel:"state"`
	Terminal     bool   `cel:"terminal"`
	Interrupted  bool   `cel:"interrupted"`
	Context      string `cel:"context"`
	Version      string `cel:"version"` // of the call that first showed it
	Binding      string `cel:"binding"`
	Found        int    `cel:"found"`
	Missing      int    `cel:"missing"`        // TaskNotFound before
	Flips        int    `cel:"flips"`          // changes between found and missing
	Elsewhere    bool   `cel:"elsewhere"`      // known at another interface, tenant or agent only
	SameOwner    bool   `cel:"same_owner"`     // the call carries the credential (or none) of the call that first showed it
	V1Tenant     bool   `cel:"v1_tenant"`      // made by a call below /v1 that this server may have read as tenant v1
	Polls        int    `cel:"polls"`          // GetTask calls of this caller for it in a row before this one, each within a second of the one before
	ConfigIsTask bool   `cel:"config_is_task"` // push operations: the config id of this call is the id of a task seen before
	ConfigKnown  bool   `cel:"config_known"`   // and the agent itself returned it as a config id
}

// SessionFacts is what happened between this client and this agent before, with gaps under ten minutes.
type SessionFacts struct {
	Calls             int    `cel:"calls"`
	OpFailed          bool   `cel:"op_failed"`  // the same operation failed before, within 60 s
	OtherVerb         string `cel:"other_verb"` // subscribe: how the other verb ended before: "", ok, refused
	OtherVerbExchange int    `cel:"other_verb_exchange"`
	Repeated          bool   `cel:"repeated"`      // the identical request was sent before, within 5 s
	LaterCall         bool   `cel:"later_call"`    // a call came after (silent checkpoint)
	ClientFailed      bool   `cel:"client_failed"` // the client failed after this answer: reset it, repeated it, fell back

	Change *ChangeFacts `cel:"change"`
}
