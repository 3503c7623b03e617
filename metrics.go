// SPDX-License-Identifier: Apache-2.0

package caddymcp

import (
	"errors"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are shared by all endpoints and outlive reloads: a counter that
// started over with each configuration would be of no use.
type metrics struct {
	requests *prometheus.CounterVec
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight *prometheus.GaugeVec
}

var theMetrics = sync.OnceValue(func() *metrics {
	const ns, sub = "caddy", "mcp"
	return &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: ns, Subsystem: sub, Name: "requests_total",
			Help: "Count of MCP messages by endpoint, method, protocol era and outcome.",
		}, []string{"server", "method", "era", "outcome"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: ns, Subsystem: sub, Name: "tool_calls_total",
			Help: "Count of tool calls by endpoint, tool and outcome.",
		}, []string{"server", "tool", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: ns, Subsystem: sub, Name: "tool_call_duration_seconds",
			Help:    "Duration of tool calls by endpoint and tool.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"server", "tool"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: ns, Subsystem: sub, Name: "calls_in_flight",
			Help: "Tool calls that are running now, by endpoint.",
		}, []string{"server"}),
	}
})

// endpointMetrics are the series of one endpoint. Finding a series by its labels
// costs more than counting does, so each is found once.
type endpointMetrics struct {
	server   string
	all      *metrics
	inFlight prometheus.Gauge

	mu       sync.RWMutex
	requests map[requestLabels]prometheus.Counter
	calls    map[callLabels]prometheus.Counter
	duration map[string]prometheus.Observer
}

type requestLabels struct{ method, era, outcome string }

type callLabels struct{ tool, outcome string }

func (m *metrics) endpoint(server string) *endpointMetrics {
	return &endpointMetrics{
		server: server, all: m, inFlight: m.inFlight.WithLabelValues(server),
		requests: make(map[requestLabels]prometheus.Counter),
		calls:    make(map[callLabels]prometheus.Counter),
		duration: make(map[string]prometheus.Observer),
	}
}

// series gives what is known by key, or makes it.
func series[K comparable, V any](mu *sync.RWMutex, known map[K]V, key K, find func() V) V {
	mu.RLock()
	v, ok := known[key]
	mu.RUnlock()
	if ok {
		return v
	}
	v = find()
	mu.Lock()
	defer mu.Unlock()
	known[key] = v
	return v
}

func (m *endpointMetrics) request(method, era, outcome string) {
	series(&m.mu, m.requests, requestLabels{method, era, outcome}, func() prometheus.Counter {
		return m.all.requests.WithLabelValues(m.server, method, era, outcome)
	}).Inc()
}

func (m *endpointMetrics) call(tool, outcome string, seconds float64) {
	series(&m.mu, m.calls, callLabels{tool, outcome}, func() prometheus.Counter {
		return m.all.calls.WithLabelValues(m.server, tool, outcome)
	}).Inc()
	series(&m.mu, m.duration, tool, func() prometheus.Observer {
		return m.all.duration.WithLabelValues(m.server, tool)
	}).Observe(seconds)
}

// registerMetrics adds the collectors to the registry of a configuration, which
// other endpoints of it may have done already.
func registerMetrics(reg *prometheus.Registry) (*metrics, error) {
	m := theMetrics()
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.requests, m.calls, m.duration, m.inFlight} {
		var known prometheus.AlreadyRegisteredError
		if err := reg.Register(c); err != nil && !errors.As(err, &known) {
			return nil, err
		}
	}
	return m, nil
}
