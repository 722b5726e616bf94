import type { Clock } from '../../../../daemon/base/clock.ts';
import type { Random } from '../../world/random.ts';
import { Health } from '../health.ts';
import { ModbusPoint } from './modbus-point.ts';
import type { ModbusPointOptions, Table } from './modbus-point.ts';
import { ModbusUnit } from './modbus-unit.ts';
import { UnitConduct } from './unit-conduct.ts';
import { FORMS } from './value-form.ts';
import type { FormName } from './value-form.ts';

export interface DrawUnitOptions {
  readonly time: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  readonly unitId: number;
  /** Number of the unit in the world, below 256. */
  readonly number: number;
  /** Health of the connection. */
  readonly lineHealth: Health;
  /** Entries that a read of the driver bridges. */
  readonly maximumGap: number;
  /** Milliseconds that the unit takes for an answer: at least, and at most. */
  readonly answerMs: readonly [number, number];
  /** Most registers of one request. */
  readonly maximumRegisters: number;
}

/** A unit of the plant, and the health of its parts. */
export interface DrawnUnit {
  readonly unitId: number;
  readonly conduct: UnitConduct;
  readonly points: readonly ModbusPoint[];
  readonly health: Health;
  /** Points that one request may read together, and the health that they share. */
  readonly blocks: readonly Block[];
}

/** See `DrawnUnit`. */
export interface Block {
  readonly points: readonly ModbusPoint[];
  readonly health: Health;
}

/** Points that lie side by side. */
interface Segment {
  readonly table: Table;
  readonly type: ModbusPointOptions['type'];
  readonly forms: readonly FormName[];
}

const NUMBERS = ['INT16', 'UINT16', 'INT32', 'UINT32', 'INT64', 'FLOAT32', 'STRING'] as const;
const POINTS_OF_A_UNIT = 32;
// The fastest tells what was sampled just before it was asked for; others are seen twice, and the slowest change rarely.
const PERIODS_MS = [150, 2000, 5000, 17_000, 60_000, 300_000, 3_600_000] as const;

/** Draws a unit: its points, where they lie, and how it answers. */
export function drawUnit(options: DrawUnitOptions): DrawnUnit {
  const { time, random, unitId, number, lineHealth, maximumGap } = options;
  const health = new Health(time, lineHealth);
  const blocks: { points: ModbusPoint[]; health: Health }[] = [];
  const free = new Map<Table, number>();
  const points: ModbusPoint[] = [];
  for (const { table, type, forms } of drawSegments(random)) {
    const gap = random.chance(0.5) ? random.integer(1, 6) : random.integer(20, 400);
    const before = free.get(table);
    let offset = (before ?? random.integer(0, 2000)) + gap;
    for (const form of forms) {
      const isNear = free.has(table) && offset - (free.get(table) ?? 0) <= maximumGap;
      const known = isNear ? blocks.findLast((block) => block.points[0]?.table === table) : undefined;
      const block = known ?? { points: [], health: new Health(time, health) };
      if (known === undefined) blocks.push(block);
      const point = drawPoint({
        time,
        random,
        unitId,
        identity: number * POINTS_OF_A_UNIT + points.length,
        table,
        offset,
        form,
        type,
        health: [lineHealth, health, block.health],
      });
      block.points.push(point);
      points.push(point);
      offset += FORMS[form].entries;
      free.set(table, offset);
    }
  }
  const unit = new ModbusUnit({
    unitId,
    points,
    maximumRegisters: options.maximumRegisters,
    tooLongCode: random.pick([2, 3] as const),
    hasHoles: random.chance(0.7),
    missingFunctions: random.chance(0.2) ? [6] : [],
  });
  const conduct = new UnitConduct(unit, random.branch('conduct'), options.answerMs);
  return { unitId, conduct, points, health, blocks };
}

function drawSegments(random: Random): readonly Segment[] {
  const draw = (count: number): readonly FormName[] =>
    Array.from({ length: count }, () => random.pick(NUMBERS));
  const first = draw(random.integer(2, 5));
  return [
    { table: 'INPUT_REGISTERS', type: 'READ', forms: first },
    // Answers of the same form, which only their order tells apart on a serial line.
    {
      table: 'INPUT_REGISTERS',
      type: 'READ',
      forms: random.chance(0.5) ? first : draw(random.integer(1, 2)),
    },
    { table: 'HOLDING_REGISTERS', type: 'READ_WRITE', forms: draw(random.integer(1, 3)) },
    { table: 'HOLDING_REGISTERS', type: 'READ', forms: draw(random.integer(1, 2)) },
    { table: 'DISCRETE_INPUTS', type: 'READ', forms: ['BIT', 'BIT', 'BIT'] },
    ...(random.chance(0.5) ? [{ table: 'COILS', type: 'READ_WRITE', forms: ['BITS'] } as const] : []),
    ...(random.chance(0.3) ? [{ table: 'HOLDING_REGISTERS', type: 'WRITE', forms: draw(1) } as const] : []),
  ];
}

function drawPoint(
  given: Omit<ModbusPointOptions, 'name' | 'periodMs' | 'phaseMs'> & { readonly random: Random },
): ModbusPoint {
  const { random, ...options } = given;
  const { form, identity } = options;
  const periodMs = random.pick(PERIODS_MS);
  const isScaled = (form === 'INT16' || form === 'UINT16') && random.chance(0.3);
  const summand = drawSummand(random.branch(`summand of ${identity}`), form, isScaled);
  const verified = random.branch(`verification of ${identity}`);
  const isVerified = options.type === 'READ_WRITE' && form !== 'BITS' && verified.chance(0.3);
  const hasWords = FORMS[form].entries > 1 && form !== 'STRING' && form !== 'BITS';
  return new ModbusPoint({
    ...options,
    name: `p${identity % POINTS_OF_A_UNIT}-${form.toLowerCase()}`,
    periodMs,
    phaseMs: random.fraction() * periodMs,
    ...(isScaled ? { scale: random.pick([0.1, 0.5, 10]) } : {}),
    ...(summand === undefined ? {} : { summand }),
    ...(isVerified ? { verifiedWithinMs: verified.pick([0, 500, 3000]) } : {}),
    ...(hasWords && random.chance(0.4) ? { isLowWordFirst: true } : {}),
  });
}

// With a scale a fraction as well; without one an integer keeps its type, and the numbers have room there.
function drawSummand(random: Random, form: FormName, isScaled: boolean): number | undefined {
  const isShort = form === 'INT16' || form === 'UINT16';
  if (!(isShort || form === 'UINT32' || form === 'INT64') || !random.chance(0.3)) return undefined;
  return isScaled ? random.pick([-273.15, 0.5, 40_000]) : random.pick([-32_768, 7, 1_000_000]);
}
