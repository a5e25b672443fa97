package terms_test

import (
	"slices"
	"strings"
	"testing"

	"sortedheap/internal/codegraph/query/terms"
)

func TestQuestion(t *testing.T) {
	twoWords := func(chunk string) []string {
		if chunk == "页面路由" {
			return []string{"页面", "路由"}
		}
		return []string{chunk}
	}
	for _, c := range []struct {
		name, question string
		segment        terms.Segmenter
		want           string
	}{
		{"question words and punctuation go, the verb stays", "what calls extract?", nil, "calls extract"},
		{"filler", "how does the frontier cache work", nil, "frontier cache"},
		{"only stopwords", "how does it work", nil, "how does work"},
		{"German", "Wie funktioniert die Authentifizierung?", nil, "authentifizierung"},
		{"German, only stopwords", "wie funktioniert das", nil, "wie funktioniert das"},
		{"short names are lost, digits are not", "v2 of a UI in Go 3", nil, "v2 3"},
		{"Chinese with a segmenter", "页面路由", twoWords, "页面 路由 页面路由"},
		{"Chinese without", "页面路由", nil, "页面 面路 路由 页面路由"},
		{"two characters once", "路由", nil, "路由"},
		{"one character", "路", nil, "路"},
		{"mixed text", "router of 路由 ui 器", nil, "router 路由 器"},
		{"kana and hangul stay whole", "ルーター 라우터", nil, "ルーター 라우터"},
		{"underscore joins", "rate_limit_check used", nil, "rate_limit_check used"},
		{"order and duplicates stay", "bar foo bar", nil, "bar foo bar"},
		{"diacritics stay", "é naïve", nil, "é naïve"},
		{"words that collide with code stay", "war bald comment come son sin con pour des calls uses", nil,
			"war bald comment come son sin con pour des calls uses"},
		{"nothing", "  ?!  ", nil, ""},
	} {
		if got := strings.Join(terms.Question(c.question, c.segment), " "); got != c.want {
			t.Errorf("%s: %q gives [%s], want [%s]", c.name, c.question, got, c.want)
		}
	}
}

func TestSearch(t *testing.T) {
	for _, c := range []struct{ list, want []string }{
		{[]string{"rate_limit_check"}, []string{"rate", "limit", "check"}},
		{[]string{"bar", "bar", "foo_bar"}, []string{"bar", "foo"}},
		{[]string{"Größe", "ｆｕｌｌ", "café"}, []string{"große", "full", "cafe"}},
		{[]string{"_"}, nil},
	} {
		if got := terms.Search(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%q gives %q, want %q", c.list, got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		".Charge()": ".charge()", "coder.md": "coder.md", "Ärger": "arger", "ﬁn": "fin", "GET": "get",
	} {
		if got := terms.Fold(text); got != want {
			t.Errorf("%q folds to %q, want %q", text, got, want)
		}
	}
}
