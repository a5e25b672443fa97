package postgres

import "fmt"

// DropOwn is a statement that drops a table or an index, if it is there, in the
// schema that new ones are made in, and never one further down the search path:
// the database may be somebody's, and hold tables of these names. kind is TABLE or
// INDEX; name needs no quotes.
func DropOwn(kind, name string) string {
	return fmt.Sprintf("DO $$ BEGIN EXECUTE format('DROP %s IF EXISTS %%I.%s', current_schema()); END $$", kind, name)
}
