// The lexer and the parser of esbuild over the texts of `bench-archives cleaned`. They are internal packages, so that this file is
// compiled inside of a copy of esbuild's module: README.md has the commands.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/evanw/esbuild/internal/config"
	"github.com/evanw/esbuild/internal/js_lexer"
	"github.com/evanw/esbuild/internal/js_parser"
	"github.com/evanw/esbuild/internal/logger"
)

type text struct {
	typescript bool
	contents   string
}

func load(path string) (texts []text, bytes int) {
	all, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for len(all) > 0 {
		length := int(binary.LittleEndian.Uint32(all[1:5]))
		texts = append(texts, text{all[0] == 1, string(all[5 : 5+length])})
		bytes += length
		all = all[5+length:]
	}
	return
}

func lex(source logger.Source, options config.TSOptions) (tokens int) {
	defer func() {
		if r := recover(); r != nil {
			if _, isLexerPanic := r.(js_lexer.LexerPanic); !isLexerPanic {
				panic(r)
			}
		}
	}()
	lexer := js_lexer.NewLexer(logger.NewDeferLog(logger.DeferLogAll, nil), source, options)
	for lexer.Token != js_lexer.TEndOfFile {
		lexer.Next()
		tokens++
	}
	return
}

// The larger of a speed and that of a round which began at start, in MB/s.
func faster(best float64, bytes int, start time.Time) float64 {
	speed := float64(bytes) / 1e6 / time.Since(start).Seconds()
	if speed > best {
		return speed
	}
	return best
}

func main() {
	texts, bytes := load(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	var lexed, parsed float64
	tokens, statements := 0, 0
	for round := 0; round < rounds; round++ {
		start := time.Now()
		tokens = 0
		for _, text := range texts {
			source := logger.Source{Contents: text.contents}
			tokens += lex(source, config.TSOptions{Parse: text.typescript})
		}
		lexed = faster(lexed, bytes, start)
		start = time.Now()
		statements = 0
		for _, text := range texts {
			options := config.Options{}
			options.TS.Parse = text.typescript
			log := logger.NewDeferLog(logger.DeferLogAll, nil)
			ast, _ := js_parser.Parse(log, logger.Source{Contents: text.contents}, js_parser.OptionsFromConfig(&options))
			for _, part := range ast.Parts {
				statements += len(part.Stmts)
			}
		}
		parsed = faster(parsed, bytes, start)
	}
	fmt.Printf("esbuild lexer: %.0f MB/s, %d tokens\nesbuild parser: %.0f MB/s, %d statements\n", lexed, tokens, parsed, statements)
}
