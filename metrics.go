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
