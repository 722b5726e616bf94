import type { Metric, Sample } from './exposition.ts';

/** One response to a client. */
export interface AnsweredRequest {
  readonly method: string;
  /** Path template of the endpoint, so that parameter values do not create series. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

interface AnswerCount extends Omit<AnsweredRequest, 'durationMs'> {
  count: number;
}

// From a cached response to a device at its deadline.
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity];

/** Counts responses to clients and their durations. */
export class RequestMetrics {
  /** By route, each with the few methods and states that it has: a key of all three would be a new text for each response. */
  readonly #answers = new Map<string, AnswerCount[]>();
  // Each counts the responses of that duration only; Prometheus receives cumulative sums.
  readonly #buckets = BUCKETS_SECONDS.map(() => 0);
  #seconds = 0;

  /** Records a response. */
  note({ method, route, status, durationMs }: AnsweredRequest): void {
    const ofRoute = this.#answers.get(route) ?? [];
    const answer = ofRoute.find((one) => one.status === status && one.method === method);
    if (answer === undefined) this.#answers.set(route, [...ofRoute, { method, route, status, count: 1 }]);
    else answer.count += 1;
    const seconds = durationMs / 1000;
    this.#seconds += seconds;
    const bucket = BUCKETS_SECONDS.findIndex((limit) => seconds <= limit);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  list(): readonly Metric[] {
    return [
      {
        name: 'penstock_http_requests_total',
        type: 'counter',
        help: 'Responses to clients',
        read: () =>
          [...this.#answers.values()].flat().map(({ method, route, status, count }) => ({
            labels: { method, route, status: String(status) },
            value: count,
          })),
      },
      {
        name: 'penstock_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the request head to the decision on the response',
        read: () => this.#readHistogram(),
      },
    ];
  }

  #readHistogram(): readonly Sample[] {
    let count = 0;
    const buckets = BUCKETS_SECONDS.map((limit, index): Sample => {
      count += this.#buckets[index] ?? 0;
      const le = limit === Infinity ? '+Inf' : String(limit);
      return { suffix: '_bucket', labels: { le }, value: count };
    });
    return [...buckets, { suffix: '_sum', value: this.#seconds }, { suffix: '_count', value: count }];
  }
}
