import { delay } from '../../../daemon/base/clock.ts';
import type { Channels, PendingChange } from '../plant/plant-model.ts';
import type { AuditedRequest } from './audit-model.ts';
import type { PlantPart, Point } from '../world/truth.ts';
import type { Answer } from '../http/answer-parser.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

interface ConfigurerParts extends PlantPersonParts {
  readonly parts: readonly PlantPart[];
  /** Called when the settings of a driver were changed, so that its connection is a new one. */
  readonly onDriverChange: (part: PlantPart) => void;
  /** Called when an answer says that the configuration was changed, or not, for the audit log. */
  /** Called when a change is on trial: the gateway may end before it is taken back. */
  readonly onTrial: () => void;
  readonly onAnswered: (request: AuditedRequest) => void;
}

/** A change whose answer did not come. */
interface OpenChange {
  readonly pid: string;
  readonly part: PlantPart;
  readonly wanted: Channels;
  readonly previous: Channels;
  readonly pending: PendingChange;
  /** When the gateway takes the change back, unless it restarts before; undefined when it stays. */
  readonly revertMs: number | undefined;
}

const ROOT = '/services/configuration/v1';
const MOST_EXTRAS = 6;
// The gateway may be restarting when the time is over.
const REVERT_SLACK_MS = 120_000;

/** Creates a client that adds assets to the plant, renames their channels, removes them, and changes drivers. */
export function createConfigurer(given: ConfigurerParts): Person {
  const {
    name: who,
    time,
    random,
    chronicle,
    client,
    model,
    parts,
    onDriverChange,
    onAnswered,
    onTrial,
  } = given;
  const read = createRead(given);
  // Assets of this person alone, with what they have for certain.
  const extras = new Map<string, { readonly part: PlantPart; readonly channels: Channels }>();
  let open: OpenChange | undefined;
  let made = 0;
  // The tag of a configuration that another one has replaced.
  let outdatedTag: string | undefined;

  return createPerson(
    given,
    async () => {
      if (open !== undefined) return settle(open);
      const action = random.pickWeighted({
        add: 3,
        rename: 3,
        remove: 2,
        driver: 2,
        tryOut: 1,
        stale: 1,
        look: 2,
      });
      if (action === 'driver') return changeDriver(random.pick(parts));
      if (action === 'look') return look();
      if (action === 'stale') return putTooLate(random.pick(parts));
      if (action === 'add' || extras.size === 0) {
        if (extras.size < MOST_EXTRAS) await putOrRemove(`extra-${(made += 1)}`, random.pick(parts), true);
        return;
      }
      const pid = random.pick([...extras.keys()]);
      const part = extras.get(pid)?.part;
      if (part === undefined) return;
      await putOrRemove(
        pid,
        part,
        action !== 'remove',
        action === 'tryOut' ? random.integer(5, 60) : undefined,
      );
    },
    () => client.close(),
  );

  async function putOrRemove(
    pid: string,
    part: PlantPart,
    isWanted: boolean,
    revertSeconds?: number,
  ): Promise<void> {
    const tag = await readTag();
    if (tag === undefined) return;
    const previous = extras.get(pid)?.channels;
    const wanted = isWanted ? drawChannels(part) : undefined;
    const pending = model.begin(part, pid, wanted);
    const requestId = random.uuid();
    const askedMs = time.monotonicMs();
    const query = revertSeconds === undefined ? '' : `?confirmWithin=${revertSeconds}`;
    chronicle.note(who, `${isWanted ? 'puts' : 'removes'} ${pid}${query}`);
    const answer = await client.ask({
      method: isWanted ? 'PUT' : 'DELETE',
      path: `${ROOT}/assets/${pid}${query}`,
      headers: { 'content-type': 'application/json', 'if-match': tag, 'x-request-id': requestId },
      ...(wanted === undefined ? {} : { body: JSON.stringify(toAsset(pid, part, wanted)) }),
    });
    chronicle.note(
      who,
      `changed ${pid}: ${answer === undefined ? 'no answer' : `${answer.status} ${answer.body}`}`,
    );
    if (answer === undefined) {
      open = { pid, part, wanted, previous, pending, revertMs: toRevertMs(revertSeconds) };
      return;
    }
    onAnswered({ requestId, status: answer.status, askedMs });
    if (answer.status !== 200) {
      pending.refuse();
      checkRefusal(answer, `changed ${pid}`);
      return;
    }
    pending.confirm();
    remember(pid, part, wanted);
    // What is in force is what clients get from the next moment on.
    await delay(time, random.integer(1, 1000));
    await read({ pid, part }, { names: undefined, maximumAgeMs: 0 });
    if (revertSeconds === undefined) {
      if (!hasSameNames(wanted, previous)) outdatedTag = tag;
      return;
    }
    if (random.chance(0.4)) onTrial();
    // Nobody confirms it: the gateway takes it back, at its end or at the next start.
    const taken = model.begin(part, pid, previous);
    open = {
      pid,
      part,
      wanted: previous,
      previous: wanted,
      pending: taken,
      revertMs: toRevertMs(revertSeconds),
    };
  }

  // Asks for a change of a configuration that is no longer in force.
  async function putTooLate(part: PlantPart): Promise<void> {
    if (outdatedTag === undefined) return;
    const pid = 'extra-late';
    const body = JSON.stringify(toAsset(pid, part, new Map()));
    const headers = { 'content-type': 'application/json', 'if-match': outdatedTag };
    const answer = await client.ask({ method: 'PUT', path: `${ROOT}/assets/${pid}`, headers, body });
    if (answer?.status === 200)
      chronicle.break(
        'configuration-kept',
        `a change of a configuration that is out of force was carried out`,
      );
    else if (answer !== undefined) checkRefusal(answer, 'sent an old tag');
  }

  // Asks what became of a change whose answer did not come, or that the gateway takes back.
  async function settle(change: OpenChange): Promise<void> {
    const { pid, part, wanted, previous, pending } = change;
    const answer = await client.ask({ method: 'GET', path: `${ROOT}/assets/${pid}` });
    if (answer === undefined || ![200, 404].includes(answer.status)) return;
    const shown = readNames(answer);
    if (isSame(shown, wanted)) {
      pending.confirm();
      remember(pid, part, wanted);
      open = undefined;
    } else if (isSame(shown, previous)) {
      if (change.revertMs !== undefined) {
        if (time.monotonicMs() < change.revertMs + REVERT_SLACK_MS) return;
        chronicle.break(
          'configuration-kept',
          `the change of ${pid} was not confirmed, and is still in force`,
        );
      }
      pending.refuse();
      open = undefined;
    } else
      chronicle.break(
        'configuration-kept',
        `${pid} is neither as before nor as wanted: ${answer.body.slice(0, 500)}`,
      );
  }

  async function look(): Promise<void> {
    const answer = await client.ask({ method: 'GET', path: `${ROOT}/assets` });
    if (answer?.status !== 200) return;
    const assets = JSON.parse(answer.body) as readonly { readonly pid: string }[];
    const shown = assets.map(({ pid }) => pid).filter((pid) => pid.startsWith('extra-'));
    const expected = [...extras.keys()];
    if (isEqual(shown.toSorted(), expected.toSorted())) return;
    chronicle.break(
      'configuration-kept',
      `extra assets: expected ${expected.join(' ')}; got ${shown.join(' ')}`,
    );
  }

  async function changeDriver(part: PlantPart): Promise<void> {
    const tag = await readTag();
    if (tag === undefined) return;
    const { pid } = part.driver;
    const body = { ...part.driver, callDeadlineMs: random.integer(9000, 11_000) };
    chronicle.note(who, `changes driver ${pid}`);
    onDriverChange(part);
    const answer = await client.ask({
      method: 'PUT',
      path: `${ROOT}/drivers/${pid}`,
      headers: { 'content-type': 'application/json', 'if-match': tag },
      body: JSON.stringify(body),
    });
    onDriverChange(part);
    if (answer !== undefined && answer.status !== 200) checkRefusal(answer, `changed driver ${pid}`);
  }

  function toRevertMs(seconds: number | undefined): number | undefined {
    return seconds === undefined ? undefined : time.monotonicMs() + seconds * 1000;
  }

  function remember(pid: string, part: PlantPart, channels: Channels): void {
    if (channels === undefined) extras.delete(pid);
    else extras.set(pid, { part, channels });
  }

  async function readTag(): Promise<string | undefined> {
    const answer = await client.ask({ method: 'GET', path: `${ROOT}/rest` });
    return answer?.status === 200 ? answer.headers['etag'] : undefined;
  }

  // Another person may have changed something in between, or wait for a confirmation.
  function checkRefusal({ status, body }: Answer, what: string): void {
    if (![409, 412, 503].includes(status))
      chronicle.break('answer-shape', `${who} ${what}: ${status} ${body.slice(0, 300)}`);
  }

  function drawChannels(part: PlantPart): Channels {
    const { points } = random.pick(part.assets);
    const version = random.integer(1, 99);
    const drawn = points.filter(() => random.chance(0.6));
    return new Map(drawn.map((point): [string, Point] => [`${point.channel.name}-${version}`, point]));
  }
}

function toAsset(pid: string, part: PlantPart, channels: NonNullable<Channels>): unknown {
  const list = [...channels].map(([name, { channel }]) => Object.assign({}, channel, { name }));
  return { pid, driver: part.driver.pid, channels: list };
}

function readNames({ status, body }: Answer): readonly string[] | undefined {
  if (status === 404) return undefined;
  const { channels } = JSON.parse(body) as { readonly channels: readonly { readonly name: string }[] };
  return channels.map(({ name }) => name);
}

function isSame(shown: readonly string[] | undefined, channels: Channels): boolean {
  return shown === undefined
    ? channels === undefined
    : channels !== undefined && isEqual(shown, [...channels.keys()]);
}

function hasSameNames(left: Channels, right: Channels): boolean {
  return left === undefined || right === undefined
    ? left === right
    : isEqual([...left.keys()], [...right.keys()]);
}

function isEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
