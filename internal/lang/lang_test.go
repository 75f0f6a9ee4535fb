package lang

import (
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// Every language has every word, the same holes in every sentence, and a word
// for the same codes.
func TestNoWordIsMissing(t *testing.T) {
	first := reflect.ValueOf(*languages[0])
	for _, w := range languages {
		compare(t, w.Code, first, reflect.ValueOf(*w))
		if !Known(w.Code) || Get(w.Code) != w {
			t.Errorf("Get(%q) is another language", w.Code)
		}
	}
	for _, code := range []string{"en", "zh"} {
		compare(t, code+" report", reflect.ValueOf(ReportWords("en")), reflect.ValueOf(ReportWords(code)))
		compare(t, code+" rules", reflect.ValueOf(RulesWords("en")), reflect.ValueOf(RulesWords(code)))
		compare(t, code+" explain", reflect.ValueOf(*ExplainWords("en")), reflect.ValueOf(*ExplainWords(code)))
		compare(t, code+" translate", reflect.ValueOf(*TranslateWords("en")), reflect.ValueOf(*TranslateWords(code)))
	}
}

var hole = regexp.MustCompile(`%[a-z]`)

func compare(t *testing.T, at string, want, got reflect.Value) {
	t.Helper()
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			compare(t, at+"."+want.Type().Field(i).Name, want.Field(i), got.Field(i))
		}
	case reflect.Array:
		for i := range want.Len() {
			compare(t, at, want.Index(i), got.Index(i))
		}
	case reflect.Map:
		for _, k := range want.MapKeys() {
			v := got.MapIndex(k)
			if !v.IsValid() {
				t.Errorf("%s has no word for %q", at, k)
			} else if v.String() == "" && want.MapIndex(k).String() != "" {
				t.Errorf("%s has an empty word for %q", at, k)
			}
		}
		if got.Len() != want.Len() {
			t.Errorf("%s has %d codes, want %d", at, got.Len(), want.Len())
		}
	case reflect.String:
		if got.String() == "" {
			t.Errorf("%s is empty", at)
		}
		if a, b := hole.FindAllString(want.String(), -1), hole.FindAllString(got.String(), -1); !slices.Equal(a, b) {
			t.Errorf("%s has holes %v, want %v", at, b, a)
		}
	default:
		t.Errorf("%s: a %s is not checked by this test", at, want.Kind())
	}
}

func TestUnknownLanguageIsEnglish(t *testing.T) {
	if Get("xx").Code != "en" || Known("xx") || After("zh") != "en" || After("en") != "zh" {
		t.Error("a language that is not known must fall back to English")
	}
}
