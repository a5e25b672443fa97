package provider_test

import (
	"errors"
	"strings"
	"testing"

	"sortedheap/internal/harness/provider"
)

func TestParse(t *testing.T) {
	for _, spec := range []string{"local", "local:17", "local:/usr/bin/pg_config", "container", "container:15", "container:18",
		"postgres://host/db", "postgresql://host/db", "host=/tmp user=me"} {
		if _, err := provider.Parse(spec, provider.Options{}); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for spec, want := range map[string]string{
		"":                               "is neither",
		"somewhere":                      `"somewhere" is neither`,
		"container:16":                   "those are 15, 17, 18",
		"postgres://a:hush@b/c?port=x":   "is no connection string",
		"host=h password=hush port=none": "is no connection string",
	} {
		_, err := provider.Parse(spec, provider.Options{})
		var wrong *provider.SpecError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}
