import { BasicClient } from './basic-client.ts';
import type { ExpectedEvent } from './audit-model.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { RestClient } from './rest-client.ts';

interface AuditorOptions extends ActorOptions {
  readonly address: string;
  readonly credentials: { readonly name: string; readonly password: string };
  /** Addresses that send so much that some of it may only be counted. */
  readonly floodingAddresses: readonly string[];
  /** The newest event of an earlier world; 0: there was none. */
  readonly pastEventId: number;
}

/** An event as the gateway shows it. */
interface ShownEvent {
  readonly id: number;
  readonly time: number;
  readonly event: string;
  readonly outcome: string;
  readonly identity?: string;
  readonly address?: string;
  readonly requestId?: string;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

// The first flush after an event, and counts of what was not recorded, have come by then.
const SHOWN_AFTER_MS = 15_000;
// A refusal promises nothing: one that was recorded so shortly before the process is killed may not have reached the disk,
// docs/reference/audit.md.
const LOST_BY_KILL_MS = 1000;

/** Creates somebody who compares what was answered with what the audit says. */
export function createAuditor(world: PeopleWorld, options: AuditorOptions): Person {
  const { name: who, address, credentials, floodingAddresses, pastEventId } = options;
  const client = new RestClient(world, { who, kind: 'https', place: { address } });
  const basic = new BasicClient(world, who, client, credentials.name);
  basic.password = credentials.password;
  const counted = new Set(floodingAddresses);
  let open: readonly ExpectedEvent[] = [];
  // Events of requests that were not due yet are looked at once more the next time.
  let seenId = pastEventId;
  let newestId = pastEventId;
  let lookedMs = -Infinity;
  let countedId = pastEventId;
  let missingCount = 0;
  let suppressedCount = 0;

  async function act(): Promise<void> {
    const untilMs = world.time.monotonicMs() - SHOWN_AFTER_MS;
    if (untilMs < lookedMs) return;
    lookedMs = world.time.monotonicMs();
    const expected = [...open, ...world.audit.takeUntil(untilMs)];
    // Without an answer they are looked for the next time.
    open = expected;
    const shown = await readNew();
    if (shown === undefined) return;
    open = [];
    const byRequest = Map.groupBy(shown, ({ requestId }) => requestId);
    const missing = expected.filter((event) => !isFound(event, byRequest.get(event.requestId) ?? []));
    const uncounted = missing.filter(
      (event) => event.outcome === 'SUCCESS' || !counted.has(event.address ?? ''),
    );
    for (const event of uncounted) {
      if (!mayBeLost(event)) report(event, 'is not there');
    }
    checkCounts(missing.length - uncounted.length, shown);
  }

  /** Reads what was recorded since the last time, and what has come meanwhile for requests that are not due yet. */
  async function readNew(): Promise<readonly ShownEvent[] | undefined> {
    const shown: ShownEvent[] = [];
    let before: number | undefined;
    for (;;) {
      const page = before === undefined ? '' : `&before=${before}`;
      const path = `/services/audit/v1/events?limit=1000${page}`;
      const { answer } = await basic.ask({ method: 'GET', path, permission: 'rest.admin' });
      if (answer.status !== 200) return undefined;
      const { events, next } = JSON.parse(answer.body) as { events: ShownEvent[]; next?: number };
      shown.push(...events.filter(({ id }) => id > seenId));
      if (next === undefined || (events.at(-1)?.id ?? 0) <= seenId) break;
      before = next;
    }
    seenId = newestId;
    newestId = Math.max(newestId, ...shown.map(({ id }) => id));
    return shown;
  }

  function isFound(expected: ExpectedEvent, shown: readonly ShownEvent[]): boolean {
    const fitting = shown.filter(
      ({ event, outcome }) => expected.events.includes(event) && outcome === expected.outcome,
    );
    for (const event of shown)
      if (event.outcome !== expected.outcome) report(expected, `is ${event.event} ${event.outcome}`);
    // What was changed in a configuration may need several events.
    const isOne = !expected.events.includes('CONFIGURATION_CHANGED') || expected.outcome === 'FAILURE';
    if (fitting.length > 1 && isOne) report(expected, `is there ${fitting.length} times`);
    const [found] = fitting;
    if (found === undefined) return false;
    if (expected.identity !== undefined && found.identity !== expected.identity)
      report(expected, `is of ${found.identity}`);
    if (expected.address !== undefined && found.address !== expected.address)
      report(expected, `is from ${found.address}`);
    if (expected.status >= 400 && found.detail?.['status'] !== expected.status)
      report(expected, `has the status ${found.detail?.['status']}`);
    return true;
  }

  function mayBeLost({ answeredMs, events }: ExpectedEvent): boolean {
    if (!events.includes('ACCESS_REFUSED')) return false;
    return world.gateway
      .killsMs()
      .some((killMs) => answeredMs <= killMs && answeredMs > killMs - LOST_BY_KILL_MS);
  }

  /** Of refusals that came too fast only the number is known. */
  function checkCounts(missing: number, shown: readonly ShownEvent[]): void {
    missingCount += missing;
    for (const { id, event, detail } of shown) {
      if (event !== 'EVENTS_SUPPRESSED' || id <= countedId) continue;
      suppressedCount += Number(detail?.['count'] ?? 0);
    }
    countedId = Math.max(countedId, ...shown.map(({ id }) => id));
    // Counts that were not reported yet when the process was killed are lost.
    if (missingCount <= suppressedCount || world.gateway.killsMs().length > 0) return;
    const text = `${missingCount} refusals are missing, ${suppressedCount} are counted`;
    world.chronicle.break('audit-complete', `${who}: ${text}`);
  }

  function report({ requestId, events, outcome, status }: ExpectedEvent, what: string): void {
    const text = `${requestId}, answered with ${status}: ${events.join(' or ')} ${outcome} ${what}`;
    world.chronicle.break('audit-complete', `${who}: ${text}`);
  }

  return createActor(world, options, { act, close: () => client.close() });
}
