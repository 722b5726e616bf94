import { METER_DRIVER } from '../bundles/meter.ts';
import type { ModelledAsset } from '../plant/plant-model.ts';
import type { LedgerEntry, WriteLedger, WriteSaid } from '../plant/write-ledger.ts';
import type { Point, RestValue } from '../world/truth.ts';
import type { AuditedRequest } from './audit-model.ts';
import { parseRecords } from './asset-client.ts';
import type { RestRecord } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

export interface WriterParts extends PlantPersonParts {
  readonly ledger: WriteLedger;
  /** Assets that are written more often than others, because others listen to them. */
  readonly favourites: readonly string[];
  /** Called when an answer says what became of a write, for the audit log. */
  readonly onWritten: (request: AuditedRequest, outcome: 'SUCCESS' | 'FAILURE', isTrial?: boolean) => void;
}

interface AskedWrite {
  readonly name: string;
  readonly point: Point;
  readonly value: RestValue;
  /** What the channel has to hold for the value to be sent. */
  readonly ifValue: RestValue | undefined;
  readonly entry: LedgerEntry;
}

/** Creates a client that writes setpoints, and sometimes reads them before and after. */
export function createWriter(parts: WriterParts): Person {
  const { random, client, model, favourites } = parts;
  const [write, read] = [createWrite(parts), createRead(parts)];

  function pickAsset(): ModelledAsset {
    const all = model.list();
    const known = random.chance(0.4) ? all.filter(({ pid }) => favourites.includes(pid)) : [];
    return random.pick(known.length === 0 ? all : known);
  }

  return createPerson(
    parts,
    async () => {
      const asset = pickAsset();
      const isReading = random.chance(0.3);
      const wish = { names: undefined, maximumAgeMs: random.chance(0.5) ? 60_000 : 0 };
      if (isReading) await read(asset, wish);
      await write(asset.pid);
      if (isReading) await read(asset, wish);
    },
    () => client.close(),
  );
}

const ATTEMPTS = 3;

/** Creates a client that writes to devices that are not well, again and again: what becomes of its writes is hard to tell. */
export function createStubbornWriter(parts: WriterParts): Person {
  const { random, client, model, time } = parts;
  const write = createWrite(parts);

  function isSick({ pid }: ModelledAsset): boolean {
    const nowMs = time.monotonicMs();
    const channels = model.versionsBetween(pid, nowMs, nowMs).at(-1)?.channels?.values() ?? [];
    return [...channels].some(
      (point) => point.nextValue !== undefined && point.healthySinceMs() === undefined,
    );
  }

  return createPerson(
    parts,
    async () => {
      const sick = model.list().filter(isSick);
      if (sick.length === 0) return;
      const { pid } = random.pick(sick);
      for (let left = ATTEMPTS; left > 0; left -= 1) await write(pid);
    },
    () => client.close(),
  );
}

/** Creates what writes on behalf of somebody: each value once in the life of the world. */
export function createWrite(parts: WriterParts): (pid: string) => Promise<void> {
  const { name: who, time, random, chronicle, client, model, ledger, onWritten } = parts;
  const conditions = random.branch('conditions');
  // What the client wrote last, as far as it knows: others write as well.
  const lastValues = new Map<Point, RestValue>();

  return async (pid) => {
    const nowMs = time.monotonicMs();
    const channels = model.versionsBetween(pid, nowMs, nowMs).at(-1)?.channels ?? new Map<string, Point>();
    const writable = [...channels].filter(([, point]) => point.nextValue !== undefined);
    if (writable.length === 0) return;
    const writes: AskedWrite[] = [];
    for (let left = random.integer(1, 4); left > 0; left -= 1) {
      const [name, point] = random.pick(writable);
      const value = point.nextValue?.();
      if (value === undefined) continue;
      const ifValue = conditions.chance(0.3) ? lastValues.get(point) : undefined;
      writes.push({ name, point, value, ifValue, entry: ledger.request({ who, pid }, point, value) });
    }
    const requestId = random.uuid();
    const isTrial = conditions.chance(0.1);
    const body = JSON.stringify({
      channels: writes.map(({ name, point, value, ifValue }) => ({
        name,
        type: point.channel.valueType,
        value,
        ifValue,
      })),
    });
    const headers = { 'content-type': 'application/json', 'x-request-id': requestId };
    chronicle.note(who, `${isTrial ? 'tries' : 'writes'} ${pid} ${body}`);
    const answer = await client.ask({
      method: 'POST',
      path: `/services/assets/${pid}/_write${isTrial ? '?dryRun=true' : ''}`,
      headers,
      body,
    });
    chronicle.note(
      who,
      `wrote ${pid}: ${answer === undefined ? 'no answer' : `${answer.status} ${answer.body}`}`,
    );
    if (answer === undefined) {
      settle(writes, () => (isTrial ? 'NOT_DONE' : 'UNKNOWN'));
      return;
    }
    const records = answer.status === 200 ? parseRecords(answer.body) : undefined;
    const isHonest = isTrial ? isHonestTrial : hasHonestFlag;
    if (answer.status === 503 || answer.status === 404) {
      settle(writes, () => 'NOT_DONE');
    } else if (records?.length !== writes.length || !records.every(isHonest)) {
      chronicle.break('answer-shape', `${who} wrote ${pid}: ${answer.status} ${answer.body.slice(0, 200)}`);
    } else {
      const isWhole = records.every(({ channelStatus }) => channelStatus.channelFlag === 'SUCCESS');
      onWritten({ requestId, status: 200, askedMs: nowMs }, isWhole ? 'SUCCESS' : 'FAILURE', isTrial);
      if (isTrial) {
        settle(writes, () => 'NOT_DONE');
        return;
      }
      settle(writes, (index) => readOutcome(records[index]));
      checkOrder(writes);
      checkValues(writes, records);
      const type = model.list().find((asset) => asset.pid === pid)?.part.driver.type;
      // A bundle receives all values of a request in one message, and reports the outcome of each.
      if (type !== undefined && type !== METER_DRIVER) checkEnd(writes, records, type === 'opcua');
    }
  };

  // docs/explanation/control.md: after a write whose outcome is not known nothing more of the request is sent.
  // A device that never confirms holds nothing back.
  function checkEnd(
    writes: readonly AskedWrite[],
    records: readonly RestRecord[],
    sharesMessages: boolean,
  ): void {
    const unknown = records.findIndex(
      ({ outcome, statusCode }) => outcome === 'UNKNOWN' && statusCode !== 'WRITE_UNCONFIRMED',
    );
    if (unknown === -1) return;
    const later = writes.find(
      ({ entry }, index) =>
        index > unknown &&
        entry.said === 'DONE' &&
        !(sharesMessages && mayShareMessage(writes.slice(unknown, index + 1))),
    );
    if (later === undefined) return;
    const text = `${who}: ${later.name} was written after ${writes[unknown]?.name}, whose outcome is unknown`;
    chronicle.break('write-order', text);
  }

  function settle(
    writes: readonly AskedWrite[],
    outcomeOf: (index: number) => Exclude<WriteSaid, 'PENDING'>,
  ): void {
    for (const [index, { point, entry }] of writes.entries()) ledger.answer(point, entry, outcomeOf(index));
  }

  // docs/explanation/control.md: what was read back is what the device had, and a condition held when the value was sent.
  function checkValues(writes: readonly AskedWrite[], records: readonly RestRecord[]): void {
    for (const [index, { name, point, value, ifValue, entry }] of writes.entries()) {
      const { said, requestedMs, answeredMs, carriedOutMs } = entry;
      if (said === 'DONE') lastValues.set(point, value);
      const { readBack, statusCode } = records[index] ?? {};
      // A device that confirms another value is taken at its word; one of the faults confirms a value that it never had.
      const isWord = statusCode === 'MODBUS_OTHER_VALUE_CONFIRMED';
      if (readBack !== undefined && !isWord && !point.had(readBack, requestedMs, answeredMs)) {
        const text = `${who}: ${name} never had ${String(readBack)}, which was read back after a write of ${String(value)}`;
        chronicle.break('true-value', text);
      }
      if (said !== 'DONE' || ifValue === undefined || point.had(ifValue, requestedMs, carriedOutMs)) continue;
      const text = `${who}: ${String(value)} was written to ${name}, which did not hold ${String(ifValue)}`;
      chronicle.break('write-once', text);
    }
  }

  // The values of one request go to one device, one after the other.
  function checkOrder(writes: readonly AskedWrite[]): void {
    const done = writes.filter(({ entry }) => entry.said === 'DONE');
    for (const [index, { name, entry }] of done.entries()) {
      const before = done[index - 1];
      if (before === undefined || before.entry.carriedOutMs <= entry.carriedOutMs) continue;
      chronicle.break(
        'write-order',
        `${who}: ${name} was written before ${before.name}, which was asked for first`,
      );
    }
  }
}

// An OPC UA server answers each value of a message: none is conditional, and no node is written twice in it.
function mayShareMessage(writes: readonly AskedWrite[]): boolean {
  const isConditional = writes.some(({ ifValue }) => ifValue !== undefined);
  return !isConditional && new Set(writes.map(({ name }) => name)).size === writes.length;
}

const SAID: Readonly<Record<string, Exclude<WriteSaid, 'PENDING'>>> = {
  VERIFIED: 'DONE',
  ACKNOWLEDGED: 'DONE',
  REFUSED: 'NOT_DONE',
  NOT_SENT: 'NOT_DONE',
};

function readOutcome(record: RestRecord | undefined): Exclude<WriteSaid, 'PENDING'> {
  // The device may have carried it out, and hold another value since.
  if (record?.outcome === 'REFUSED' && record.readBack !== undefined) return 'UNKNOWN';
  return SAID[record?.outcome ?? ''] ?? 'UNKNOWN';
}

// Of a trial, SUCCESS means that the value would be sent.
function isHonestTrial({ channelStatus, outcome, dryRun }: RestRecord): boolean {
  const isSent = channelStatus.channelFlag === 'SUCCESS';
  return dryRun === true && outcome === (isSent ? undefined : 'NOT_SENT');
}

// docs/explanation/control.md: of a write, SUCCESS is said for these outcomes only.
function hasHonestFlag({ channelStatus, outcome = '' }: RestRecord): boolean {
  const isKnown = outcome === 'UNKNOWN' || outcome in SAID;
  return isKnown && (channelStatus.channelFlag === 'SUCCESS') === (SAID[outcome] === 'DONE');
}
