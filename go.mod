module sortedheap

go 1.26.0
