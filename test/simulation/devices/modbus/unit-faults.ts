import type { Random } from '../../world/random.ts';
import type { KeptFault, PlannedFault } from '../../world/truth.ts';
import type { Block, DrawnUnit } from './draw-unit.ts';
import type { Health } from '../health.ts';
import { endAll, planFaults } from './plan-faults.ts';
import type { FaultKind } from './plan-faults.ts';
import type { Distortion, Effect } from './unit-conduct.ts';
import { EXCEPTION } from './wire.ts';
import type { WireRequest } from './wire.ts';

export interface UnitFaultOptions {
  readonly unit: DrawnUnit;
  readonly name: string;
  readonly random: Random;
  readonly endMs: number;
  readonly responseTimeoutMs: number;
  /** Answers carry the number of their request, so that one may be as late as it likes. */
  readonly hasTransactions: boolean;
  /** A copy of an answer that comes on its own cannot be told from an answer. */
  readonly canDouble: boolean;
  /** Health of a line that all units share: two that send at once are not understood. Absent where each has its own way. */
  readonly lineHealth?: Health;
  /** A gateway stands before the unit. */
  readonly isBehindGateway: boolean;
  /** Milliseconds from one fault to the next, on average. */
  readonly meanPauseMs: number;
  /** Faults that come instead of drawn ones. */
  readonly kept?: readonly KeptFault[] | undefined;
  /** The unit restarts: what else becomes of its connection. */
  readonly onReboot: () => void;
}

const MINUTE_MS = 60_000;
// docs/reference/modbus.md, "Addresses that do not answer": up to a minute, varied by a quarter; with many addresses longer, so that
// they take a twentieth of the line.
const LONGEST_ADDRESS_PAUSE_MS = 60_000;
const ADDRESS_PAUSE_JITTER = 1.25;
const ADDRESS_LINE_SHARE = 0.05;
// docs/reference/modbus.md, "Reads": what a refusal showed is remembered for five minutes.
const REFUSAL_MS = 300_000;

/** Returns how long after the end of a fault addresses of these units may still be left alone. */
export function addressLingerMs(ranges: number, responseTimeoutMs: number): number {
  const shareMs = (ranges * responseTimeoutMs) / ADDRESS_LINE_SHARE;
  return ADDRESS_PAUSE_JITTER * Math.max(LONGEST_ADDRESS_PAUSE_MS, shareMs);
}

/** Draws the faults of a unit and of its addresses. */
export function planUnitFaults(options: UnitFaultOptions): readonly PlannedFault[] {
  const { name, random, endMs, meanPauseMs, unit, kept } = options;
  const shared = { endMs, meanPauseMs, kept };
  return [
    ...planFaults({ ...shared, name, random: random.branch(name), kinds: listUnitKinds(options) }),
    ...planFaults({
      ...shared,
      name: `${name}.address`,
      random: random.branch(`${name}.address`),
      kinds: listAddressKinds(unit, addressLingerMs(4, options.responseTimeoutMs)),
    }),
  ];
}

/** A kind of fault of a whole unit. */
interface UnitFaultRow {
  readonly weight: number;
  readonly text: string;
  readonly effect: Effect;
  /** How much of what it takes a fault catches, from 0 to 1; all unless given. */
  readonly shares?: readonly number[];
  /** How long after its end the gateway may act on what it saw; as after lost answers unless given. */
  readonly lingerMs?: number;
  /** The unit sends when others may, so that the whole line is touched where they share one. */
  readonly collides?: boolean;
}

const SILENCE = { exceptionCode: undefined };
const NOW_AND_THEN = [0.1, 0.4] as const;
const DISTORTED = [0.1, 0.5, 1] as const;

function listUnitRows({
  responseTimeoutMs,
  hasTransactions,
  canDouble,
  isBehindGateway,
}: UnitFaultOptions): Readonly<Record<string, UnitFaultRow>> {
  const distort = (distortion: Distortion): UnitFaultRow => ({
    weight: 1,
    text: `answers ${distortion}`,
    effect: { distortion },
    shares: DISTORTED,
  });
  const refuse = (exceptionCode: number): UnitFaultRow => ({
    weight: 1,
    text: `refuses everything with exception ${exceptionCode}`,
    effect: { instead: { exceptionCode } },
    lingerMs: REFUSAL_MS,
  });
  const delay = (weight: number, share: number): UnitFaultRow => ({
    weight,
    text: `answers after ${share} of the time-out`,
    effect: { delayMs: share * responseTimeoutMs },
    collides: true,
  });
  const waitForGatewayMs = 0.6 * responseTimeoutMs;
  return {
    silent: { weight: 6, text: 'is silent', effect: { instead: SILENCE }, lingerMs: 0 },
    mute: {
      weight: 3,
      text: 'does as asked and answers nothing',
      effect: { afterwards: SILENCE },
      lingerMs: 0,
    },
    muteSometimes: {
      weight: 3,
      text: 'does as asked and answers nothing, now and then',
      effect: { afterwards: SILENCE },
      shares: NOW_AND_THEN,
    },
    deafSometimes: {
      weight: 3,
      text: 'does not hear every request',
      effect: { instead: SILENCE },
      shares: NOW_AND_THEN,
    },
    slow: delay(2, 0.7),
    // On a serial line one that is later than twice the time-out cannot be told from the next one (docs/reference/modbus.md).
    late: delay(3, 1.3),
    lateSometimes: { ...delay(3, 1.4), shares: NOW_AND_THEN },
    busy: { weight: 1, text: 'is busy', effect: { instead: { exceptionCode: EXCEPTION.busy } } },
    busySometimes: {
      weight: 3,
      text: 'is busy now and then',
      effect: { instead: { exceptionCode: EXCEPTION.busy } },
      shares: NOW_AND_THEN,
    },
    acknowledges: {
      weight: 2,
      text: 'only acknowledges writes',
      effect: {
        takes: ({ functionCode }) => functionCode > 4,
        afterwards: { exceptionCode: EXCEPTION.acknowledge },
      },
    },
    otherEcho: {
      weight: 2,
      text: 'confirms writes of other values, and carries out none',
      effect: { takes: ({ functionCode }) => functionCode > 4, distortion: 'OTHER_ECHO' },
    },
    illegalFunction: refuse(EXCEPTION.illegalFunction),
    illegalAddress: refuse(EXCEPTION.illegalAddress),
    illegalValue: refuse(EXCEPTION.illegalValue),
    deviceFailure: refuse(EXCEPTION.deviceFailure),
    garbled: { ...distort('GARBLED'), weight: 2 },
    cut: { ...distort('CUT'), weight: 2 },
    wrongUnit: distort('WRONG_UNIT'),
    wrongFunction: distort('WRONG_FUNCTION'),
    wrongByteCount: distort('WRONG_BYTE_COUNT'),
    short: distort('SHORT'),
    foreign: distort('FOREIGN'),
    ...(canDouble ? { doubled: { ...distort('DOUBLED'), weight: 2, collides: true } } : {}),
    ...(hasTransactions ? { wrongTransaction: distort('WRONG_TRANSACTION'), veryLate: delay(2, 10) } : {}),
    ...(isBehindGateway
      ? {
          gatewayPath: refuse(EXCEPTION.gatewayPath),
          gatewayTarget: {
            weight: 2,
            text: 'is silent, as its gateway says after a while',
            effect: { instead: { exceptionCode: EXCEPTION.gatewayTarget }, delayMs: waitForGatewayMs },
          },
          gatewayTargetAfterwards: {
            weight: 1,
            text: 'does as asked, and its gateway hears nothing',
            effect: { afterwards: { exceptionCode: EXCEPTION.gatewayTarget }, delayMs: waitForGatewayMs },
            shares: NOW_AND_THEN,
          },
        }
      : {}),
  };
}

function listUnitKinds(options: UnitFaultOptions): Readonly<Record<string, FaultKind>> {
  const { unit, lineHealth, onReboot } = options;
  const { conduct, health } = unit;
  const lostMs = addressLingerMs(unit.points.length, options.responseTimeoutMs);
  const toKind = (row: UnitFaultRow): FaultKind => ({
    weight: row.weight,
    lastsMs: [2000, 10 * MINUTE_MS],
    draw: (random) => {
      const { text, effect, shares, lingerMs = lostMs, collides = false } = row;
      const share = shares === undefined ? 1 : random.pick(shares);
      const takes = (request: WireRequest): boolean =>
        effect.takes?.(request) !== false && (share === 1 || random.chance(share));
      const touched = collides && lineHealth !== undefined ? [health, lineHealth] : [health];
      return {
        text: share === 1 ? text : `${text}, ${share} of the time`,
        begin: () =>
          endAll(conduct.begin({ ...effect, takes }), ...touched.map((one) => one.begin(lingerMs))),
      };
    },
  });
  const reboot: FaultKind = {
    weight: 3,
    lastsMs: [3000, MINUTE_MS],
    draw: () => ({
      text: 'restarts with other values',
      begin: () => {
        onReboot();
        conduct.unit.reboot();
        return endAll(conduct.begin({ instead: SILENCE }), health.begin());
      },
    }),
  };
  const rows = Object.entries(listUnitRows(options));
  return { ...Object.fromEntries(rows.map(([name, row]) => [name, toKind(row)])), reboot };
}

// All that one request may read together with the address is touched by its fault: how long a reader needs until it knows
// which address it is depends on how often it reads. Everything else of the unit is not.
function listAddressKinds(unit: DrawnUnit, lingerMs: number): Readonly<Record<string, FaultKind>> {
  const create = (
    weight: number,
    what: string,
    { exceptionCode, givenLingerMs }: { readonly exceptionCode?: number; readonly givenLingerMs: number },
  ): FaultKind => ({
    weight,
    lastsMs: [5000, 20 * MINUTE_MS],
    draw: (random) => {
      const block: Block = random.pick(unit.blocks);
      const point = random.pick(block.points);
      const entry = point.offset + random.integer(0, point.entries - 1);
      const takes = (request: WireRequest): boolean => unit.conduct.unit.touches(request, point.table, entry);
      const instead = { exceptionCode };
      return {
        text: `${what} ${point.table} ${entry} of ${point.channel.name}`,
        begin: () => endAll(unit.conduct.begin({ takes, instead }, true), block.health.begin(givenLingerMs)),
      };
    },
  });
  return {
    silent: create(4, 'is silent at', { givenLingerMs: lingerMs }),
    refused: create(2, 'does not have', {
      exceptionCode: EXCEPTION.illegalAddress,
      givenLingerMs: REFUSAL_MS,
    }),
    failing: create(1, 'fails at', { exceptionCode: EXCEPTION.deviceFailure, givenLingerMs: REFUSAL_MS }),
  };
}
