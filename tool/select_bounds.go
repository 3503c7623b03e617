// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"errors"
	"math/big"
	"reflect"

	"github.com/itchyny/gojq"
)

// selectBits caps the product of two integers: squaring soon makes ones whose
// arithmetic takes longer than any call.
const selectBits = 1 << 16

var errGrowth = errors.New("the program makes a value that is too large")

// selectPrelude bounds the functions that make text of any value, since one
// made of parts that are shared can be small in memory and without end as text,
// and those that make one value of many. _mcp_plus and _mcp_times stand for the
// operators, and _mcp_counted for what an array is collected from.
const selectPrelude = `
def _mcp_tojson: tojson; def tojson: _mcp_bounded | _mcp_tojson;
def _mcp_tostring: tostring; def tostring: _mcp_bounded | _mcp_tostring;
def _mcp_tohtml: _tohtml; def _tohtml: _mcp_bounded | _mcp_tohtml;
def _mcp_touri: _touri; def _touri: _mcp_bounded | _mcp_touri;
def _mcp_tourid: _tourid; def _tourid: _mcp_bounded | _mcp_tourid;
def _mcp_tocsv: _tocsv; def _tocsv: _mcp_bounded | _mcp_tocsv;
def _mcp_totsv: _totsv; def _totsv: _mcp_bounded | _mcp_totsv;
def _mcp_tosh: _tosh; def _tosh: _mcp_bounded | _mcp_tosh;
def _mcp_tobase64: _tobase64; def _tobase64: _mcp_bounded | _mcp_tobase64;
def _mcp_tobase64d: _tobase64d; def _tobase64d: _mcp_bounded | _mcp_tobase64d;
def _mcp_format($f): format($f); def format($f): _mcp_bounded | _mcp_format($f);
def _mcp_add: add; def add: _mcp_bounded | _mcp_add;
def add(f): [_mcp_counted(f)] | add;
def _mcp_flatten: flatten; def flatten: _mcp_bounded | _mcp_flatten;
def _mcp_flatten($n): flatten($n); def flatten($n): _mcp_bounded | _mcp_flatten($n);
def _mcp_join($s): join($s); def join($s): _mcp_bounded | _mcp_joined($s) | _mcp_join($s);
def _mcp_plus(l; r): _mcp_sum(l; r) | .[0] + .[1];
def _mcp_times(l; r): _mcp_product(l; r) | .[0] * .[1];
def _add(l; r): _mcp_plus(l; r);
def _multiply(l; r): _mcp_times(l; r);
.`

// selectCounted comes first in the prelude.
const selectCounted = `
def _mcp_counted(f): foreach f as $x (0; . + 1; if _mcp_many then error("the program makes a value that is too large") else $x end);
`

// selectBounds are the functions of the prelude that look at sizes. What the
// operators get is given back as a pair: they work on it themselves.
func selectBounds(size int) []gojq.CompilerOption {
	return []gojq.CompilerOption{
		gojq.WithFunction("_mcp_bounded", 0, 0, func(v any, _ []any) any {
			if _, err := encodeJSON(v, size); err != nil {
				return err
			}
			return v
		}),
		gojq.WithFunction("_mcp_many", 0, 0, func(v any, _ []any) any {
			n, _ := v.(int)
			return n > selectValues
		}),
		gojq.WithFunction("_mcp_joined", 1, 1, func(v any, args []any) any {
			list, _ := v.([]any)
			if s, ok := args[0].(string); ok && len(s)*len(list) > size {
				return errGrowth
			}
			return v
		}),
		gojq.WithFunction("_mcp_sum", 2, 2, func(_ any, args []any) any {
			if !sumFits(args[0], args[1], size) {
				return errGrowth
			}
			return []any{args[0], args[1]} // args is gojq's, for the next call too
		}),
		gojq.WithFunction("_mcp_product", 2, 2, func(_ any, args []any) any {
			if !productFits(args[0], args[1], size) || !productFits(args[1], args[0], size) {
				return errGrowth
			}
			return []any{args[0], args[1]} // args is gojq's, for the next call too
		}),
	}
}

func sumFits(l, r any, size int) bool {
	switch l := l.(type) {
	case string:
		r, _ := r.(string)
		return len(l)+len(r) <= size
	case []any:
		r, _ := r.([]any)
		return len(l)+len(r) <= selectValues
	case map[string]any:
		r, _ := r.(map[string]any)
		return len(l)+len(r) <= selectValues
	}
	return true
}

func productFits(l, r any, size int) bool {
	switch l := l.(type) {
	case string:
		n, ok := gojq.ToFloat64(r)
		return !ok || !(n*float64(len(l)) > float64(size))
	case *big.Int:
		r, ok := r.(*big.Int)
		return !ok || l.BitLen()+r.BitLen() <= selectBits
	}
	return true
}

// boundGrowth puts the prelude's functions in the place of what may grow
// without end in a program: the operators + and *, which gojq does not look up
// by name, and arrays that a generator fills.
func boundGrowth(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		boundGrowth(v.Elem())
		switch x := v.Interface().(type) {
		case *gojq.Query:
			boundOperator(x)
		case *gojq.Array:
			if x.Query != nil && generates(reflect.ValueOf(x.Query)) {
				x.Query = call("_mcp_counted", x.Query)
			}
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			boundGrowth(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			boundGrowth(v.Index(i))
		}
	}
}

func boundOperator(q *gojq.Query) {
	var c *gojq.Query
	switch q.Op {
	case gojq.OpAdd:
		c = call("_mcp_plus", q.Left, q.Right)
	case gojq.OpMul:
		c = call("_mcp_times", q.Left, q.Right)
	default:
		return
	}
	q.Term, q.Left, q.Right, q.Op = c.Term, nil, nil, 0
}

func call(name string, args ...*gojq.Query) *gojq.Query {
	f := &gojq.Func{Name: name, Args: args}
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: f}}
}

// generators give any number of outputs, however small their input is.
var generators = map[string]bool{"range": true, "repeat": true, "while": true, "combinations": true, "recurse": true}

// generates says that a generator is called somewhere in a part of a program.
func generates(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return false
		}
		if f, ok := reflect.TypeAssert[*gojq.Func](v); ok && generators[f.Name] {
			return true
		}
		return generates(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			if generates(field) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if generates(v.Index(i)) {
				return true
			}
		}
	}
	return false
}
