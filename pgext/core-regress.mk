# PostgreSQL's own regression suite on sorted_heap: once with heap, once with
# sorted_heap as the default table access method, each in a server of its own
# with the extension loaded, then a comparison of all outputs. Differences are
# explained one by one in docs/core-regression.md, with the number of lines; one
# that is not there fails the target.
#
#	make core-regress PG_SRC=DIR	DIR: PostgreSQL's source tree, best of the
#					minor version that PG_CONFIG has
#	make core-isolation PG_SRC=DIR	its isolation suite, which must pass as it is

CORE_REGRESS_OUT ?= $(abspath tmp_check_core)
CORE_REGRESS_DOC = ../docs/core-regression.md
CORE_REGRESS_SRC = $(PG_SRC)/src/test/regress
CORE_REGRESS_LIBS = $(CORE_REGRESS_OUT)/lib

# A server does not run as root.
CORE_REGRESS_AS = $(if $(filter 0,$(shell id -u)),runuser -u postgres --)

.PHONY: core-regress core-isolation core-regress-libs core-regress-heap core-regress-sorted_heap

core-regress: core-regress-sorted_heap
	@cd $(CORE_REGRESS_OUT) && diff -rq heap/results sorted_heap/results > differing || test $$? -eq 1
	@cd $(CORE_REGRESS_OUT) && diff -ru heap/results sorted_heap/results > differences.diff || test $$? -eq 1
	@for t in `sed -n 's,^.*[/ ]\([^/ ]*\)\.out\( differ\)*$$,\1,p' $(CORE_REGRESS_OUT)/differing | sort -u`; do \
		n=`diff $(CORE_REGRESS_OUT)/heap/results/$$t.out $(CORE_REGRESS_OUT)/sorted_heap/results/$$t.out | grep -c '^[<>]'`; echo "$$t: $$n lines differ"; \
		grep -q "^| \`$$t\` | $$n |" $(CORE_REGRESS_DOC) || { echo "not explained in $(CORE_REGRESS_DOC); see $(CORE_REGRESS_OUT)/differences.diff"; exit 1; }; done

core-regress-sorted_heap: core-regress-heap

# Status 1 says that some tests failed, 2 that they could not be run.
core-regress-heap core-regress-sorted_heap: core-regress-%: core-regress-libs
	@echo "default_table_access_method = $*" > $(CORE_REGRESS_OUT)/$*.conf
	cd $(CORE_REGRESS_OUT) && $(CORE_REGRESS_AS) '$(abspath $(top_builddir)/src/test/regress/pg_regress)' \
		--bindir='$(bindir)' --dlpath=$(CORE_REGRESS_LIBS) --inputdir=$(CORE_REGRESS_SRC) --outputdir=$(CORE_REGRESS_OUT)/$* --schedule=$(CORE_REGRESS_SRC)/parallel_schedule \
		--temp-instance=$(CORE_REGRESS_OUT)/$*/instance --temp-config=$(CORE_REGRESS_OUT)/$*.conf --load-extension=$(EXTENSION) --no-locale --encoding=UTF8 --max-concurrent-tests=20 || test $$? -eq 1

core-isolation: core-regress-libs
	@echo "default_table_access_method = sorted_heap" > $(CORE_REGRESS_OUT)/sorted_heap.conf
	cd $(CORE_REGRESS_OUT) && $(CORE_REGRESS_AS) '$(abspath $(top_builddir)/src/test/isolation/pg_isolation_regress)' \
		--bindir='$(bindir)' --inputdir=$(PG_SRC)/src/test/isolation --outputdir=$(CORE_REGRESS_OUT)/sorted_heap --schedule=$(PG_SRC)/src/test/isolation/isolation_schedule \
		--temp-instance=$(CORE_REGRESS_OUT)/sorted_heap/instance --temp-config=$(CORE_REGRESS_OUT)/sorted_heap.conf --load-extension=$(EXTENSION) --no-locale --encoding=UTF8

# The suite loads C functions: its own, compiled here, and two of contrib/spi.
core-regress-libs:
	@test -f '$(CORE_REGRESS_SRC)/regress.c' || { echo "set PG_SRC to a source tree of PostgreSQL"; exit 2; }
	rm -rf $(CORE_REGRESS_OUT) && mkdir -p $(CORE_REGRESS_LIBS) $(CORE_REGRESS_OUT)/heap $(CORE_REGRESS_OUT)/sorted_heap
	$(CC) $(filter-out -Werror,$(CFLAGS)) -w $(CFLAGS_SL) $(CPPFLAGS) -shared -o $(CORE_REGRESS_LIBS)/regress$(DLSUFFIX) $(CORE_REGRESS_SRC)/regress.c
	cp $(pkglibdir)/refint$(DLSUFFIX) $(pkglibdir)/autoinc$(DLSUFFIX) $(CORE_REGRESS_LIBS)
	$(if $(CORE_REGRESS_AS),chown -R postgres $(CORE_REGRESS_OUT))
