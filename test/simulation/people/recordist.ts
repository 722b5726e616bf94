import { delay } from '../../../daemon/base/clock.ts';
import type { Answer } from '../http/answer-parser.ts';
import type { PlantPart, Point } from '../world/truth.ts';
import { paceOf } from '../recording/recorder-model.ts';
import type { DrawnRecorder, RecorderModel } from '../recording/recorder-model.ts';
import type { AssetClient } from './asset-client.ts';
import type { AuditedRequest } from './audit-model.ts';
import type { PendingChange } from '../world/timeline.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

interface RecordistParts extends PersonParts {
  readonly client: AssetClient;
  readonly parts: readonly PlantPart[];
  /** Assets that others use as well. */
  readonly favourites: readonly string[];
  /** Assets that are not recorded. */
  readonly except: readonly string[];
  readonly recorders: RecorderModel;
  /** When a client began or ceased to listen to an asset the last time, by its pid. */
  readonly audience: Map<string, number>;
  /** Called when an answer says that the configuration was changed, or not, for the audit log. */
  readonly onAnswered: (request: AuditedRequest) => void;
}

/** A change whose answer did not come. */
interface OpenChange {
  readonly pid: string;
  readonly wanted: DrawnRecorder | undefined;
  readonly pending: PendingChange<undefined>;
}

const ROOT = '/services/configuration/v1';
const RECORDERS = `${ROOT}/recorders`;
const JSON_TYPE = { 'content-type': 'application/json' };
const MOST_RECORDERS = 4;
const INTERVALS_MS = [5000, 30_000, 60_000, 60_000, 120_000] as const;
const DEADBANDS = [undefined, undefined, 0.4, 2.5] as const;
// As far apart as the truth of a device allows that is kept.
const CALM_INTERVALS_MS = [1_200_000, 1_800_000] as const;
const MOST_CALM_RECORDERS = 2;
// The gateway may be restarting, or another person may change the configuration.
const RETRY_MS = 5000;

/** Creates a person who adds recorders, changes them, and removes them again. */
export function createRecordist(given: RecordistParts): Person {
  const { name: who, time, random, chronicle, client, recorders, audience, onAnswered } = given;
  const { parts, favourites, except } = given;
  // Recorders of this person alone, as they are for certain.
  const own = new Map<string, DrawnRecorder>();
  let open: OpenChange | undefined;
  let made = 0;
  let isGone = false;

  const isLively = (): boolean => time.tempo.isLively(time.monotonicMs());
  const person = createPerson({ ...given, isHurried: () => listQuick().length > 0 }, act, () => {
    isGone = true;
    if (!person.isBusy) void removeAll();
  });
  return person;

  async function act(): Promise<void> {
    if (open !== undefined) await settle(open);
    else if (listQuick().length > 0) await slowDown();
    else if (own.size === 0) await add();
    else {
      const action = random.pickWeighted({ add: 3, change: 2, remove: 2, look: 2 });
      if (action === 'look') await look();
      else if (action === 'add') await add();
      else {
        const pid = random.pick([...own.keys()]);
        await put(pid, action === 'change' ? drawRecorder(pid) : undefined);
      }
    }
    if (isGone) await removeAll();
  }

  // What was added in a lively time costs too much in a calm one.
  function listQuick(): readonly string[] {
    if (isLively()) return [];
    return [...own.values()]
      .filter((recorder) => paceOf(recorder) < CALM_INTERVALS_MS[0])
      .map(({ pid }) => pid);
  }

  async function slowDown(): Promise<void> {
    for (const pid of listQuick()) {
      await put(pid, own.size > MOST_CALM_RECORDERS ? undefined : drawRecorder(pid));
      if (open !== undefined) return;
    }
  }

  async function add(): Promise<void> {
    if (own.size >= (isLively() ? MOST_RECORDERS : MOST_CALM_RECORDERS)) return;
    made += 1;
    const pid = `${who}-${made}`;
    await put(pid, drawRecorder(pid));
  }

  async function put(pid: string, wanted: DrawnRecorder | undefined): Promise<void> {
    const tag = await readTag();
    if (tag === undefined) return;
    const requestId = random.uuid();
    const askedMs = time.monotonicMs();
    const pending = recorders.begin(pid, wanted, askedMs);
    noteAudience(pid, wanted);
    chronicle.note(who, `${wanted === undefined ? 'removes' : 'puts'} ${JSON.stringify(wanted ?? pid)}`);
    const answer = await client.ask({
      method: wanted === undefined ? 'DELETE' : 'PUT',
      path: `${RECORDERS}/${pid}`,
      headers: { ...JSON_TYPE, 'if-match': tag, 'x-request-id': requestId },
      ...(wanted === undefined ? {} : { body: JSON.stringify(wanted) }),
    });
    chronicle.note(who, answer === undefined ? 'has no answer' : `${answer.status} ${answer.body}`);
    if (answer === undefined) {
      open = { pid, wanted, pending };
      return;
    }
    onAnswered({ requestId, status: answer.status, askedMs });
    if (answer.status === 200) keep(pid, wanted, pending);
    else {
      pending.drop();
      checkRefusal(answer, `changed ${pid}`);
    }
  }

  function keep(pid: string, wanted: DrawnRecorder | undefined, pending: PendingChange<undefined>): void {
    noteAudience(pid, wanted);
    pending.settle(undefined, time.monotonicMs());
    if (wanted === undefined) own.delete(pid);
    else own.set(pid, wanted);
  }

  // Finds the state after a change whose answer did not come.
  async function settle({ pid, wanted, pending }: OpenChange): Promise<void> {
    const answer = await client.ask({ method: 'GET', path: `${RECORDERS}/${pid}` });
    if (answer === undefined || ![200, 404].includes(answer.status)) return;
    open = undefined;
    const shown = answer.status === 404 ? undefined : describe(JSON.parse(answer.body) as DrawnRecorder);
    if (shown === (wanted && describe(wanted))) keep(pid, wanted, pending);
    else if (shown === describeOwn(pid)) pending.drop();
    else {
      const text = `${pid} is neither as before nor as wanted: ${answer.body.slice(0, 500)}`;
      chronicle.break('configuration-kept', text);
    }
  }

  function describeOwn(pid: string): string | undefined {
    const recorder = own.get(pid);
    return recorder && describe(recorder);
  }

  async function look(): Promise<void> {
    const answer = await client.ask({ method: 'GET', path: RECORDERS });
    if (answer?.status !== 200) return;
    const all = JSON.parse(answer.body) as readonly DrawnRecorder[];
    const shown = all.filter(({ pid }) => pid.startsWith(`${who}-`)).map(describe);
    const expected = [...own.values()].map(describe);
    if (shown.toSorted().join() === expected.toSorted().join()) return;
    const text = `recorders: expected ${expected.join(' ')}; got ${shown.join(' ')}`;
    chronicle.break('configuration-kept', text);
  }

  async function removeAll(): Promise<void> {
    while (own.size > 0 || open !== undefined) {
      if (open !== undefined) await settle(open);
      else for (const pid of own.keys()) await put(pid, undefined);
      await delay(time, RETRY_MS);
    }
    client.close();
  }

  async function readTag(): Promise<string | undefined> {
    const answer = await client.ask({ method: 'GET', path: `${ROOT}/recording` });
    return answer?.status === 200 ? answer.headers['etag'] : undefined;
  }

  // Another person may have changed something in between, or wait for a confirmation.
  function checkRefusal({ status, body }: Answer, what: string): void {
    if (![409, 412, 503].includes(status))
      chronicle.break('answer-shape', `${who} ${what}: ${status} ${body.slice(0, 300)}`);
  }

  function noteAudience(pid: string, wanted: DrawnRecorder | undefined): void {
    const assets = [...(own.get(pid)?.assets ?? []), ...(wanted?.assets ?? [])];
    for (const { asset } of assets) audience.set(asset, time.monotonicMs());
  }

  function drawRecorder(pid: string): DrawnRecorder {
    const assets = drawAssets();
    const intervalsMs = isLively() ? INTERVALS_MS : CALM_INTERVALS_MS;
    if (random.chance(0.5)) return { pid, intervalMs: random.pick(intervalsMs), assets };
    const deadband = random.pick(DEADBANDS);
    const minimumIntervalMs = random.pick(intervalsMs);
    return {
      pid,
      onChange: true,
      minimumIntervalMs,
      ...(deadband === undefined ? {} : { deadband }),
      assets,
    };
  }

  function drawAssets(): DrawnRecorder['assets'] {
    const all = parts.flatMap(({ assets }) => assets).filter(({ pid }) => !except.includes(pid));
    const shared = all.filter(({ pid }) => favourites.includes(pid));
    // Several recorders have the same channels.
    const drawOne = (): (typeof all)[number] =>
      random.pick(shared.length > 0 && random.chance(0.6) ? shared : all);
    const drawn = new Set(Array.from({ length: random.integer(1, 3) }, drawOne));
    return [...drawn].map(({ pid, points }) => {
      const readable = points.filter(({ channel }) => channel.type !== 'WRITE');
      if (readable.length === 0 || random.chance(0.3)) return { asset: pid };
      const chosen = Array.from({ length: random.integer(1, 4) }, () => random.pick(readable));
      return { asset: pid, channels: [...new Set(chosen)].map(nameOf) };
    });
  }
}

function nameOf({ channel }: Point): string {
  return channel.name;
}

/** Returns a text that is the same for equal recorders alone. */
function describe({ pid, intervalMs, onChange, deadband, minimumIntervalMs, assets }: DrawnRecorder): string {
  const named = assets.map(({ asset, channels }) => [asset, channels ?? null]);
  return JSON.stringify([pid, intervalMs, onChange, deadband, minimumIntervalMs, named]);
}
