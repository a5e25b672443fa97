package main

import (
	"github.com/spf13/cobra"

	"sortedheap/internal/harness/engine/all"
)

// outsideOptions say where engines outside of PostgreSQL are.
type outsideOptions struct {
	zvecLib    string
	zvecPython string
	qdrant     string
	// zvecAsBuilt leaves zvec's collection as its build left it.
	zvecAsBuilt bool
}

func (o *outsideOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.zvecLib, "zvec-lib", "", "zvec's C library for engine zvec, libzvec_c_api.so; `make zvec` fetches it; default: the system's")
	f.BoolVar(&o.zvecAsBuilt, "zvec-as-built", false, "do not close and open zvec's collection after its build, which spares it a fault; engine zvec only")
	f.StringVar(&o.qdrant, "qdrant", "", "server for engine qdrant: HOST:PORT of gRPC, the path of a server program, or \"container\"")
	f.StringVar(&o.zvecPython, "zvec-python", "", "Python with the newest zvec for engine zvec-latest, or \"venv\" to make one for this run")
}

func (o outsideOptions) complete(options *all.Options) {
	options.ZvecLib, options.ZvecPython, options.Qdrant, options.ZvecAsBuilt = o.zvecLib, o.zvecPython, o.qdrant, o.zvecAsBuilt
}

// args are the flags that make the same options.
func (o outsideOptions) args() []string {
	args := []string{"--zvec-lib=" + o.zvecLib, "--qdrant=" + o.qdrant, "--zvec-python=" + o.zvecPython}
	if o.zvecAsBuilt {
		args = append(args, "--zvec-as-built")
	}
	return args
}
