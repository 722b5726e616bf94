import type { PaceCheck } from '../plant/pace-check.ts';
import type { ModelledAsset, PlantModel } from '../plant/plant-model.ts';
import type { ValueCheck } from '../plant/value-check.ts';
import type { Answer } from '../http/answer-parser.ts';
import type { RestRequest } from '../http/rest-connection.ts';
import type { AssetClient } from './asset-client.ts';
import { parseRecords } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

export interface PlantPersonParts extends PersonParts {
  readonly client: AssetClient;
  readonly model: PlantModel;
  readonly check: ValueCheck;
  readonly pace: PaceCheck;
}

// Beyond the longest deadline of a call, and waiting in the queue of an asset.
const LONGEST_ANSWER_MS = 60_000;

/** Reads an asset once, and checks the answer. */
export type ReadOnce = (asset: ModelledAsset, wish: ReadWish) => Promise<void>;

interface ReadWish {
  /** Undefined: every channel that can be read. */
  readonly names: readonly string[] | undefined;
  /** Age that values may have; 0: they are read from the device. */
  readonly maximumAgeMs: number;
}

/** Creates a client that reads assets: all channels or some, from the device or with an accepted age. */
export function createReader(parts: PlantPersonParts): Person {
  const { time, random, client, model } = parts;
  const readOnce = createRead(parts);

  return createPerson(
    parts,
    () => {
      const asset = random.pick(model.list());
      const names = random.chance(0.4) ? pickNames(asset.pid) : undefined;
      const maximumAgeMs = random.chance(0.15) ? 1000 * random.integer(1, 30) : 0;
      return readOnce(asset, { names, maximumAgeMs });
    },
    () => client.close(),
  );

  function pickNames(pid: string): readonly string[] {
    const [version] = model.versionsBetween(pid, time.monotonicMs(), time.monotonicMs());
    const all = [...(version?.channels?.keys() ?? [])];
    if (all.length === 0) return [];
    return [...new Set(Array.from({ length: random.integer(1, 4) }, () => random.pick(all)))];
  }
}

/** Creates what reads on behalf of somebody. */
export function createRead(parts: PlantPersonParts): ReadOnce {
  const { name: who, time, chronicle, client, model, check, pace } = parts;
  return async ({ pid, part }, { names, maximumAgeMs }) => {
    const sentMs = time.monotonicMs();
    const answer = await client.ask(toRequest(pid, names, maximumAgeMs));
    const answeredMs = time.monotonicMs();
    pace.checkSilences(part);
    pace.checkMessages(part);
    const shown = answer === undefined ? 'no answer' : `${answer.status} ${answer.body}`;
    chronicle.note(who, `read ${pid}: ${shown}`);
    if (answer === undefined) return;
    if (answeredMs - sentMs > LONGEST_ANSWER_MS) {
      chronicle.break('answer-shape', `${who} waited ${answeredMs - sentMs} ms for a read of ${pid}`);
    }
    const records = answer.status === 200 ? parseRecords(answer.body) : undefined;
    if (records !== undefined) {
      check.checkRead({ who, pid, part, names, sentMs, answeredMs, maximumAgeMs, records });
    } else if (!isExpectedRefusal(answer, pid, sentMs)) {
      chronicle.break('answer-shape', `${who} read ${pid}: ${answer.status} ${answer.body.slice(0, 200)}`);
    }
  };

  function isExpectedRefusal({ status }: Answer, pid: string, sentMs: number): boolean {
    if (status === 503) {
      check.noteRefusal(who, pid, sentMs);
      return true;
    }
    // An asset that may have been removed is unknown.
    const versions = model.versionsBetween(pid, sentMs, time.monotonicMs());
    return status === 404 && versions.some(({ channels }) => channels === undefined);
  }
}

function toRequest(pid: string, names: readonly string[] | undefined, maximumAgeMs: number): RestRequest {
  const path = `/services/assets/${pid}/_read`;
  const headers: Record<string, string> =
    maximumAgeMs > 0 ? { 'cache-control': `max-age=${maximumAgeMs / 1000}` } : {};
  if (names === undefined) return { method: 'GET', path, headers };
  const body = JSON.stringify({ channels: names });
  return { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body };
}
