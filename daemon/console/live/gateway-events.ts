import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';

import { toAddress } from '../api/gateway-link.ts';
import { parseExactly } from '../api/exact-json.ts';
import type { Rest } from '../api/rest.ts';
import type { ServerEvent } from './event-parser.ts';
import { receiveEvents } from './event-stream.ts';
import { useConsole } from '../api/console-context.ts';
import { useWhileSeen } from './use-while-seen.ts';

/** Something that happened in the gateway; which members it has depends on its type. */
export interface GatewayEvent {
  /** Tells it from all others of the page. */
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
  readonly nextProbeAt?: number;
  readonly restartAt?: number;
  readonly operation?: string;
  readonly name?: string;
  readonly version?: string;
  readonly successful?: boolean;
  readonly message?: string;
  readonly snapshot?: number;
}

/** How the stream of events does. */
interface EventStreamState {
  readonly kind: 'OPENING' | 'LIVE' | 'LOST';
  readonly sinceMs: number;
}

const PATH = '/services/events/v1';
// As many as the gateway keeps.
const KEPT = 1000;
// After an id that it never gave, the gateway sends all events that it has kept.
const BEFORE_ALL = 'all';

/** The events of the gateway, the newest first: those that it has kept, and each that follows. */
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

  /** Listens until it is stopped; goes on behind the last event that came. */
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
    // That there were events before those that the gateway has kept is no news to a page that has just been opened.
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

/** Returns the events of the gateway while a page shows them; a page that is hidden for a while stops listening. */
export function useGatewayEvents(): GatewayEvents {
  const { rest, session } = useConsole();
  const [events] = useState(() => new GatewayEvents(rest));
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const listening = { start: () => void events.listen(), stop: () => events.stop() };
  useWhileSeen(isSignedIn ? listening : undefined, [events, isSignedIn]);
  return events;
}
