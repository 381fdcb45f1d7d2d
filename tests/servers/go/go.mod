module example.invalid/pprofdemo

go 1.21
