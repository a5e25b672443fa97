# The tests as a program, of objects that are compiled again when a file changes
# that they were made from. SOURCES, CC and CFLAGS come from the environment.

OBJECTS = $(SOURCES:.c=.o)

test/run: $(OBJECTS)
	$(CC) -o $@ $(OBJECTS) -lm -lpthread

%.o: %.c
	$(CC) $(CFLAGS) -MMD -c -o $@ $<

-include $(OBJECTS:.o=.d)
