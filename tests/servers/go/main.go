// SPDX-License-Identifier: Apache-2.0

// A program with net/http/pprof whose profiles are known: for the test of the client alone.
//
// It prints its address as the only line, keeps one thread busy, and ends with its stdin.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	rpprof "runtime/pprof"
	"strconv"
	"sync"
	"time"
)

const (
	keptBlocks    = 48 // of a mebibyte each
	droppedBlocks = 16
	blockBytes    = 1 << 20
)

// Every allocation is sampled: it is set before the first one of main is made.
func init() { runtime.MemProfileRate = 1 }

var (
	sink  uint64
	kept  [][]byte
	brief []byte
)

// Of the busy thread's time the one takes three times as much as the other.
//
//go:noinline
func spinHot(n int) { spin(3 * n) }

//go:noinline
func spinCold(n int) { spin(n) }

//go:noinline
func spin(n int) {
	for i := 0; i < n; i++ {
		sink += uint64(i) * uint64(i)
	}
}

//go:noinline
func allocateKept() {
	for i := 0; i < keptBlocks; i++ {
		kept = append(kept, make([]byte, blockBytes))
	}
}

//go:noinline
func allocateDropped() {
	for i := 0; i < droppedBlocks; i++ {
		kept = append(kept, make([]byte, blockBytes))
	}
	kept = kept[:len(kept)-droppedBlocks]
	clear(kept[len(kept):cap(kept)])
}

//go:noinline
func contend() {
	var lock sync.Mutex
	var done sync.WaitGroup
	lock.Lock()
	for i := 0; i < 4; i++ {
		done.Add(1)
		go func() {
			lock.Lock()
			lock.Unlock()
			done.Done()
		}()
	}
	time.Sleep(20 * time.Millisecond)
	lock.Unlock()
	done.Wait()
}

//go:noinline
func waitOnChannel() {
	ready := make(chan bool)
	go func() {
		time.Sleep(20 * time.Millisecond)
		close(ready)
	}()
	<-ready
}

// In-use memory is known only after the second collection.
func collect() {
	runtime.GC()
	runtime.GC()
	runtime.GC()
}

//go:noinline
func allocateBriefly() { brief = make([]byte, 1<<19) }

// Go publishes allocations with a collection: one comes often enough for any delta to see some.
func work() {
	for i := 1; ; i++ {
		if i%64 == 0 {
			runtime.GC()
		}
		allocateBriefly()
		spinHot(200000)
		spinCold(200000)
		runtime.Gosched()
	}
}

// heap as in net/http/pprof; with release=1 the kept memory is freed in the middle of a delta.
func heap(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("release") != "" {
		seconds, _ := strconv.Atoi(r.FormValue("seconds"))
		time.AfterFunc(time.Duration(seconds)*time.Second/2, func() {
			kept = nil
			collect()
		})
	}
	pprof.Handler("heap").ServeHTTP(w, r)
}

func handlers() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/heap", heap)
	mux.HandleFunc("/start-cpu-profile", func(http.ResponseWriter, *http.Request) {
		rpprof.StartCPUProfile(io.Discard)
	})
	mux.HandleFunc("/stop-cpu-profile", func(http.ResponseWriter, *http.Request) {
		rpprof.StopCPUProfile()
	})
	// What asks for text although the client did not.
	mux.HandleFunc("/text/heap", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		rpprof.Lookup("heap").WriteTo(w, 1)
	})
	return mux
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	allocateKept()
	allocateDropped()
	contend()
	waitOnChannel()
	collect()
	go work()
	go http.Serve(listener, handlers())
	fmt.Println(listener.Addr())
	io.Copy(io.Discard, os.Stdin)
}
