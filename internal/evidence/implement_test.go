package evidence

import (
	"slices"
	"testing"
)

// fragmentOf returns the fragment of a symbol.
func fragmentOf(t *testing.T, fragments []Fragment, symbol string) *Fragment {
	t.Helper()
	for i := range fragments {
		if fragments[i].Symbol == symbol {
			return &fragments[i]
		}
	}
	t.Fatalf("no fragment of %s", symbol)
	return nil
}

const implementing = `package shop

// Till takes money.
type Till interface {
	Open() error
	Close() error
}

type drawer struct{ coins int }

func (d *drawer) Open() error { return nil }

func (d *drawer) Close() error { return nil }

type door struct{}

func (d *door) Close() error { return nil }
`

func TestImplementationsByTheirMethods(t *testing.T) {
	fragments := cutOne(t, "shop.go", implementing)
	implement(fragments)
	if got := fragmentOf(t, fragments, "shop.drawer.Close").Implements; !slices.Equal(got, []string{"Till.Close"}) {
		t.Errorf("drawer.Close implements %q, want Till.Close", got)
	}
	if got := fragmentOf(t, fragments, "shop.door.Close").Implements; len(got) > 0 {
		t.Errorf("door.Close implements %q, though door cannot Open", got)
	}
	if _, ok := fragmentOf(t, fragments, "shop.drawer.Close").symbols()["Till.Close"]; !ok {
		t.Error("Till.Close does not find drawer.Close")
	}
}

func TestImplementationsByTheirBase(t *testing.T) {
	fragments := cutOne(t, "shop.cc", `
struct Till {
  virtual void Open();
};

struct Drawer : public Till {
  int coins_;
  virtual void Open();
};

void Till::Open() {
  wait();
}

void Drawer::Open() {
  coins_ = 0;
}
`)
	implement(fragments)
	if got := fragmentOf(t, fragments, "Drawer::Open").Implements; !slices.Equal(got, []string{"Till.Open"}) {
		t.Errorf("Drawer::Open implements %q, want Till.Open", got)
	}
	if got := fragmentOf(t, fragments, "Till::Open").Implements; len(got) > 0 {
		t.Errorf("Till::Open implements %q, want nothing", got)
	}
}

func TestVariablesAreNoFields(t *testing.T) {
	fragments := cutOne(t, "shop.go", `package shop

type drawer struct {
	coins int
}

func count(coins int) int {
	return coins + 1
}

func empty() {
	shared.coins = 0
}
`)
	edges, _ := edgesOf(t, fragments)
	leads := func(symbol string) bool {
		return slices.ContainsFunc(edges, func(e edge) bool {
			return fragments[e.from].Symbol == symbol && fragments[e.to].Symbol == "shop.drawer"
		})
	}
	if leads("shop.count") {
		t.Error("an argument leads to a field of the same name")
	}
	if !leads("shop.empty") {
		t.Error("a field after a value does not lead to its type")
	}
}
