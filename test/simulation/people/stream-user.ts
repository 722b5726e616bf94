import type { RestConnection } from '../http/rest-connection.ts';
import type { ReceivedEvent } from '../http/event-parser.ts';
import { hasPermission } from './identity-model.ts';
import type { IdentityState } from './identity-model.ts';
import { judge, unique } from './judgement.ts';
import type { PeopleWorld } from './people-world.ts';
import { createActor } from './actor.ts';
import type { ActorOptions } from './actor.ts';
import type { Person } from './person.ts';
import { isCardPortOpen, tuningsDuring } from './tuning.ts';
import type { Tuning } from './tuning.ts';

interface StreamUserOptions extends ActorOptions {
  readonly address: string;
  readonly identity: string;
}

const PATH = '/services/events/v1';
const PERMISSION = 'rest.events';
// docs/reference/rest-api.md: the gateway judges the request of a stream again every 5 s; beyond that, the way to the client.
const JUDGED_AGAIN_MS = 10_000;

interface OpenStream {
  /** What the identity can have been when it was let in. */
  readonly bornAs: readonly number[];
  readonly openedMs: number;
}

/** Creates a program that follows the events of the gateway by its client certificate, for as long as it may. */
export function createStreamUser(world: PeopleWorld, options: StreamUserOptions): Person {
  const { name: who, random, address, identity } = options;
  const { identities, time, chronicle, gateway } = world;
  let connection: RestConnection | undefined;
  let stream: OpenStream | undefined;

  async function open(): Promise<void> {
    connection?.close();
    const own = world.connect('client-auth', { address, certificateOf: identity });
    connection = own;
    const [askedMs, askedEpochMs] = [time.monotonicMs(), gateway.epochMs()];
    const requestId = `${who}-${askedMs}`;
    const answer = await own.openStream(
      { method: 'GET', path: PATH, headers: { 'X-Request-Id': requestId } },
      {
        onEvent(event) {
          if (own === connection && event.type === 'end') checkEnd(event);
        },
        onEnd() {
          if (own === connection) stream = undefined;
        },
      },
    );
    const answeredMs = time.monotonicMs();
    const asked = {
      answer,
      requestId,
      askedMs,
      answeredMs,
      askedEpochMs,
      answeredEpochMs: gateway.epochMs(),
      run: gateway.run(),
    };
    const states = identities.during(identity, asked);
    const statuses = tuningsDuring(world, asked).flatMap((tuning) =>
      states.map((state) => statusOf(state, tuning)),
    );
    const what = `the events with the certificate of ${identity}`;
    judge(world, asked, { who, what, statuses: unique(statuses) });
    if (answer.status !== 200 || !own.isBusy) return;
    stream = { bornAs: states.flatMap((state) => state?.incarnation ?? []), openedMs: answeredMs };
  }

  // The states that would keep the stream open at some moment of the last seconds, and those that would not.
  function judgeAgain({ bornAs, openedMs }: OpenStream): {
    readonly mayStay: boolean;
    readonly mayEnd: boolean;
  } {
    const nowMs = time.monotonicMs();
    const period = { askedMs: Math.max(openedMs, nowMs - JUDGED_AGAIN_MS), answeredMs: nowMs };
    const states = identities.during(identity, period);
    const possible = tuningsDuring(world, period).flatMap((tuning) =>
      states.map(
        (state) =>
          state !== undefined && bornAs.includes(state.incarnation) && statusOf(state, tuning) === 200,
      ),
    );
    return { mayStay: possible.some(Boolean), mayEnd: !possible.every(Boolean) };
  }

  function checkEnd({ data = '' }: ReceivedEvent): void {
    if (stream === undefined || !/NOT_/.test(data)) return;
    if (!judgeAgain(stream).mayEnd)
      chronicle.break('access-kept', `${who}: the stream of ${identity} ended with ${data}`);
  }

  function checkOpen(opened: OpenStream): void {
    if (time.monotonicMs() - opened.openedMs < JUDGED_AGAIN_MS || judgeAgain(opened).mayStay) return;
    chronicle.break('access-ended', `${who}: the stream of ${identity} goes on without its right`);
  }

  async function act(): Promise<void> {
    if (stream === undefined) return open();
    checkOpen(stream);
    if (random.chance(0.05)) close();
    return undefined;
  }

  function close(): void {
    stream = undefined;
    connection?.close();
    connection = undefined;
  }

  return createActor(world, options, { act, close });
}

function statusOf(state: IdentityState | undefined, tuning: Tuning): number {
  if (!isCardPortOpen(tuning)) return 404;
  if (state === undefined || !tuning.statelessCertificateAuthenticationEnabled) return 401;
  return hasPermission(state, PERMISSION) ? 200 : 403;
}
