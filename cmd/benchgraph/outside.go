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
}

func (o *outsideOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.zvecLib, "zvec-lib", "", "zvec's C library for engine zvec, libzvec_c_api.so; `make zvec` fetches it; default: the system's")
	f.StringVar(&o.qdrant, "qdrant", "", "server for engine qdrant: HOST:PORT of gRPC, the path of a server program, or \"container\"")
	f.StringVar(&o.zvecPython, "zvec-python", "", "Python with the newest zvec for engine zvec-latest, or \"venv\" to make one for this run")
}

func (o outsideOptions) complete(options *all.Options) {
	options.ZvecLib, options.ZvecPython, options.Qdrant = o.zvecLib, o.zvecPython, o.qdrant
}
