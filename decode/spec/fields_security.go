package spec

// securityMessages are the security objects of the card: 0.3 §5.5.3, 1.0 §4.5.
var securityMessages = []message{
	{"StringList", "0.3 proto, 1.0 proto", []row{
		{"list", "[]string", "", "1", "1", "1"},
	}},
	{"Security", "0.3 proto", []row{
		{"schemes", "map[StringList]", "", "1", "", ""},
	}},
	{"SecurityRequirement", "1.0 proto", []row{
		{"schemes", "map[StringList]", "", "", "1", "1"},
	}},
	{"SecurityScheme", "0.3 §5.5.3, 1.0 §4.5.1", []row{
		{"api_key_security_scheme", "APIKeySecurityScheme", "scheme", "1", "1", "1"},
		{"http_auth_security_scheme", "HTTPAuthSecurityScheme", "scheme", "2", "2", "2"},
		{"oauth2_security_scheme", "OAuth2SecurityScheme", "scheme", "3", "3", "3"},
		{"open_id_connect_security_scheme", "OpenIdConnectSecurityScheme", "scheme", "4", "4", "4"},
		{"mtls_security_scheme", "MutualTlsSecurityScheme", "scheme", "5", "5", "5"},
	}},
	{"APIKeySecurityScheme", "0.3 proto, 1.0 §4.5.2", []row{
		{"description", "string", "", "1", "1", "1"},
		{"location", "string", "", "2", "2!", "2!"},
		{"name", "string", "", "3", "3!", "3!"},
	}},
	{"HTTPAuthSecurityScheme", "0.3 proto, 1.0 §4.5.3", []row{
		{"description", "string", "", "1", "1", "1"},
		{"scheme", "string", "", "2", "2!", "2!"},
		{"bearer_format", "string", "", "3", "3", "3"},
	}},
	{"OAuth2SecurityScheme", "0.3 proto, 1.0 §4.5.4", []row{
		{"description", "string", "", "1", "1", "1"},
		{"flows", "OAuthFlows", "", "2", "2!", "2!"},
		{"oauth2_metadata_url", "string", "", "3", "3", "3"},
	}},
	{"OpenIdConnectSecurityScheme", "0.3 proto, 1.0 §4.5.5", []row{
		{"description", "string", "", "1", "1", "1"},
		{"open_id_connect_url", "string", "", "2", "2!", "2!"},
	}},
	{"MutualTlsSecurityScheme", "0.3 proto, 1.0 §4.5.6", []row{
		{"description", "string", "", "1", "1", "1"},
	}},
	{"OAuthFlows", "0.3 proto, 1.0 §4.5.7", []row{
		{"authorization_code", "AuthorizationCodeOAuthFlow", "flow", "1", "1", "1"},
		{"client_credentials", "ClientCredentialsOAuthFlow", "flow", "2", "2", "2"},
		{"implicit", "ImplicitOAuthFlow", "flow", "3", "3", "3"},
		{"password", "PasswordOAuthFlow", "flow", "4", "4", "4"},
		{"device_code", "DeviceCodeOAuthFlow", "flow", "", "5", "5"},
	}},
	{"AuthorizationCodeOAuthFlow", "0.3 proto, 1.0 §4.5.8", []row{
		{"authorization_url", "string", "", "1", "1!", "1!"},
		{"token_url", "string", "", "2", "2!", "2!"},
		{"refresh_url", "string", "", "3", "3", "3"},
		{"scopes", "map[string]", "", "4", "4!", "4!"},
		{"pkce_required", "bool", "", "", "5", "5"},
	}},
	{"ClientCredentialsOAuthFlow", "0.3 proto, 1.0 §4.5.9", []row{
		{"token_url", "string", "", "1", "1!", "1!"},
		{"refresh_url", "string", "", "2", "2", "2"},
		{"scopes", "map[string]", "", "3", "3!", "3!"},
	}},
	{"ImplicitOAuthFlow", "0.3 proto, 1.0 proto (deprecated)", []row{
		{"authorization_url", "string", "", "1", "1", "1"},
		{"refresh_url", "string", "", "2", "2", "2"},
		{"scopes", "map[string]", "", "3", "3", "3"},
	}},
	{"PasswordOAuthFlow", "0.3 proto, 1.0 proto (deprecated)", []row{
		{"token_url", "string", "", "1", "1", "1"},
		{"refresh_url", "string", "", "2", "2", "2"},
		{"scopes", "map[string]", "", "3", "3", "3"},
	}},
	{"DeviceCodeOAuthFlow", "1.0 §4.5.10", []row{
		{"device_authorization_url", "string", "", "", "1!", "1!"},
		{"token_url", "string", "", "", "2!", "2!"},
		{"refresh_url", "string", "", "", "3", "3"},
		{"scopes", "map[string]", "", "", "4!", "4!"},
	}},
}
