import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';

import type { FaultReason } from '../../interface/failure.ts';
import { toAddress } from '../api/gateway-link.ts';
import { parseExactly } from '../api/exact-json.ts';
import type { Rest } from '../api/rest.ts';
import type { ServerEvent } from './event-parser.ts';
import { receiveEvents } from './event-stream.ts';
import { useConsole } from '../api/console-context.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** Event of the gateway; its members depend on its type. */
export interface GatewayEvent {
  /** Unique on the page. */
  readonly key: number;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly driver?: string;
  readonly endpoint?: string;
  readonly unit?: string;
  readonly bundle?: string;
  readonly state?: string;
  readonly cause?: string;
  readonly causeCode?: string;
  readonly causeReasons?: readonly FaultReason[];
  readonly nextProbeAt?: number;
  readonly restartAt?: number;
  readonly operation?: string;
  readonly name?: string;
  readonly version?: string;
  readonly successful?: boolean;
  readonly message?: string;
  readonly errorCode?: number;
  readonly snapshot?: number;
}

/** State of the event stream. */
interface EventStreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  readonly sinceMs: number;
}

const PATH = '/services/events/v1';
// The gateway stores the same number.
const KEPT = 1000;
// After an unknown id, the gateway sends all stored events.
const BEFORE_ALL = 'all';

/** Gateway events, newest first: the stored ones and each new one. */
class GatewayEvents {
  readonly #events = signal<readonly GatewayEvent[]>([]);
  readonly #state = signal<EventStreamState>({ kind: 'OPENING', sinceMs: Date.now() });
  readonly #rest: Rest;
  #lastId = BEFORE_ALL;
  #count = 0;
  #abort: AbortController | undefined;
  #arrived: GatewayEvent[] = [];

  constructor(rest: Rest) {
    this.#rest = rest;
  }

  get events(): ReadonlySignal<readonly GatewayEvent[]> {
    return this.#events;
  }

  get state(): ReadonlySignal<EventStreamState> {
    return this.#state;
  }

  /** Listens until stopped; resumes after the last received event. */
  async listen(): Promise<void> {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    let fields = await this.#rest.awaitSessionFields();
    while (fields !== undefined && !abort.signal.aborted) {
      const end = await receiveEvents({
        path: toAddress(PATH),
        fields,
        lastId: this.#lastId,
        signal: abort.signal,
        onHeard: () => this.#become('LIVE'),
        onEvent: (event) => this.#take(event),
      });
      if (abort.signal.aborted) return;
      this.#become('LOST');
      fields = await this.#rest.awaitReopening(end, fields);
    }
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  #take({ id, type, data }: ServerEvent): void {
    const isFirst = this.#lastId === BEFORE_ALL;
    this.#lastId = id ?? this.#lastId;
    // On a page that was just opened, older events that the gateway dropped are no gap.
    if (type === 'gap' && isFirst) return;
    const fields = parseExactly(data) as Partial<GatewayEvent>;
    this.#count += 1;
    this.#arrived.push({ time: this.#rest.gatewayNowMs(), ...fields, type, key: this.#count });
    if (this.#arrived.length === 1) queueMicrotask(() => this.#show());
  }

  #show(): void {
    const arrived = this.#arrived.toReversed();
    this.#arrived = [];
    this.#events.value = [...arrived, ...this.#events.value].slice(0, KEPT);
  }

  #become(kind: EventStreamState['kind']): void {
    if (this.#state.value.kind !== kind) this.#state.value = { kind, sinceMs: Date.now() };
  }
}

/** Returns the gateway events while a page shows them; stops listening while the page is hidden for long. */
export function useGatewayEvents(): GatewayEvents {
  const { rest, session } = useConsole();
  const [events] = useState(() => new GatewayEvents(rest));
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = { start: () => void events.listen(), stop: () => events.stop() };
  useWhileSeen(isSignedIn ? listening : undefined, [events, isSignedIn]);
  return events;
}
