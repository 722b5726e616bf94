import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { ScanClient } from './scan-client.ts';

/** One model of a SunSpec map. */
export interface SunspecModel {
  readonly number: number;
  /** Address of its first register, which contains the number. */
  readonly at: number;
  /** Number of registers after number and length. */
  readonly length: number;
  /** Repetitions in the model, by template parameter; absent: none. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
}

/** A SunSpec map (SunSpec Device Information Model Specification, 6.2). */
export interface SunspecMap {
  /** Address of the marker. */
  readonly base: number;
  readonly models: readonly SunspecModel[];
  /** Texts of the common model. */
  readonly common: Readonly<Record<string, string>>;
  /** Reason why the list may be incomplete; absent if its end was found. */
  readonly fault?: FaultReason | undefined;
}

const BASES = [40_000, 50_000, 0] as const;
const MARKER = Buffer.from('SunS', 'latin1');
const END = 0xffff;
const NOT_IMPLEMENTED = 0xffff;
const ADDRESS_SPACE = 65_536;
// A plant of inverters and meters has a few dozen.
const MAXIMUM_MODELS = 100;
// Offset from the number of model 1, and length, both in registers.
const COMMON_TEXTS = [
  ['manufacturer', 2, 16],
  ['model', 18, 16],
  ['version', 42, 8],
  ['serialNumber', 50, 16],
] as const;
const MINIMUM_COMMON_LENGTH = 64;

/** A count of repetitions: its register in the model, and the largest that a template takes. */
type Count = readonly [parameter: string, offset: number, maximum: number];

const POINTS: Count = ['points', 5, 40];
const CURVES: Count = ['curves', 6, 16];
// Inputs of model 160, controls of 711, curves of the others (SunSpec DER Information Model Specification).
const COUNTS: Readonly<Record<number, readonly Count[]>> = {
  160: [['inputs', 8, 40]],
  705: [POINTS, CURVES],
  706: [POINTS, CURVES],
  707: [POINTS, CURVES],
  708: [POINTS, CURVES],
  709: [POINTS, CURVES],
  710: [POINTS, CURVES],
  711: [['curves', 5, 16]],
  712: [POINTS, CURVES],
};

type Client = Pick<ScanClient, 'send'>;

/** Searches the holding registers of a unit for a SunSpec map and lists its models. */
export async function readSunspecMap(client: Client, unitId: number): Promise<SunspecMap | undefined> {
  for (const base of BASES) {
    const marker = await readRegisters(client, unitId, base, 2);
    if (marker?.equals(MARKER) !== true) continue;
    const { models, fault } = await walk(client, unitId, base + 2);
    const first = models.find(({ number }) => number === 1);
    const common = first === undefined ? {} : await readCommon(client, unitId, first);
    return { base, models, common, fault };
  }
  return undefined;
}

async function walk(
  client: Client,
  unitId: number,
  start: number,
): Promise<Pick<SunspecMap, 'models' | 'fault'>> {
  const models: SunspecModel[] = [];
  // Each step increases the address, so that the loop ends; the same model may repeat.
  for (let at = start; ;) {
    const head = at + 2 > ADDRESS_SPACE ? undefined : await readRegisters(client, unitId, at, 2);
    if (head === undefined) {
      return { models, fault: createReason(MODBUS_SCAN_SENTENCES, 'SCAN_MODELS_BREAK_OFF', { at }) };
    }
    const number = head.readUInt16BE(0);
    const length = head.readUInt16BE(2);
    if (number === END) return { models };
    if (number === 0 || length === 0 || at + 2 + length > ADDRESS_SPACE) {
      return { models, fault: createReason(MODBUS_SCAN_SENTENCES, 'SCAN_MODEL_INVALID', { at }) };
    }
    if (models.length === MAXIMUM_MODELS) {
      const bound = MAXIMUM_MODELS;
      return { models, fault: createReason(MODBUS_SCAN_SENTENCES, 'SCAN_MODELS_TOO_MANY', { bound }) };
    }
    models.push({ number, at, length, counts: await readCounts(client, unitId, { number, at }) });
    at += 2 + length;
  }
}

/** Reads the repetitions in a model; one that is not implemented is left out. */
async function readCounts(
  client: Client,
  unitId: number,
  { number, at }: Pick<SunspecModel, 'number' | 'at'>,
): Promise<SunspecModel['counts']> {
  const counts = COUNTS[number];
  if (counts === undefined) return undefined;
  const found: (readonly [string, number])[] = [];
  for (const [parameter, offset, maximum] of counts) {
    const count = (await readRegisters(client, unitId, at + offset, 1))?.readUInt16BE() ?? 0;
    if (count > 0 && count !== NOT_IMPLEMENTED) found.push([parameter, Math.min(count, maximum)]);
  }
  return Object.fromEntries(found);
}

async function readCommon(
  client: Client,
  unitId: number,
  { at, length }: SunspecModel,
): Promise<Readonly<Record<string, string>>> {
  if (length < MINIMUM_COMMON_LENGTH) return {};
  const texts: (readonly [string, string])[] = [];
  for (const [name, offset, quantity] of COMMON_TEXTS) {
    const bytes = await readRegisters(client, unitId, at + offset, quantity);
    const text = bytes === undefined ? '' : toText(bytes);
    if (text !== '') texts.push([name, text]);
  }
  return Object.fromEntries(texts);
}

/** A text ends at the first NUL; unprintable characters are replaced. */
function toText(bytes: Buffer): string {
  const [text = ''] = bytes.toString('latin1').split('\0');
  return text
    .replaceAll(/[^\u0020-\u007E]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
}

async function readRegisters(
  client: Client,
  unitId: number,
  offset: number,
  quantity: number,
): Promise<Buffer | undefined> {
  const response = await client.send({ functionCode: 3, unitId, offset, quantity });
  return response.kind === 'ANSWERED' ? response.bytes : undefined;
}
