import type { Clock } from '../../../daemon/base/clock.ts';
import { createReason, quoteError } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { createNote, describeScan, nameSubject } from '../../../daemon/channel/discovery.ts';
import type { Proposal, ProposedAsset, ScanNote, ScanRun } from '../../../daemon/channel/discovery.ts';
import { DATA_TABLES } from '../modbus-address.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import { DeviceNeeds } from './device-needs.ts';
import { adviseNotAvailable, findEmptyRegisters } from './empty-registers.ts';
import { readIdentification } from './identification.ts';
import { ScanClient, ScanEnded } from './scan-client.ts';
import type { ScanResponse } from './scan-client.ts';
import { listFrom } from './scan-options.ts';
import type { ScanOptions } from './scan-options.ts';
import { readSunspecMap } from './sunspec.ts';
import { scanTable } from './register-ranges.ts';
import type { UnitFinding } from './register-ranges.ts';
import { describeIdentification, describeModels, toProposedAsset } from './unit-report.ts';
import type { UnitFindings } from './unit-report.ts';
import type { LineRequest } from '../pdu/request.ts';

/** Result of a presence check. */
interface UnitPresence {
  readonly unitId: number;
  readonly isPresent: boolean;
  /** Description of the response; absent if there was none. */
  readonly remark?: FaultReason | undefined;
}

const GATEWAY_PATH_UNAVAILABLE = 0x0a;
const GATEWAY_TARGET_FAILED = 0x0b;

/** Not assigned to any device (MODBUS over Serial Line V1.02, 2.2): a device that answers it answers any identifier. */
const RESERVED_UNIT = 251;

interface ModbusScanOptions {
  readonly line: Pick<ModbusLine, 'sendScan' | 'link'>;
  readonly clock: Clock;
  /** True if the units share a serial line, where unit 0 is the broadcast address. */
  readonly isSerial: boolean;
  readonly options: ScanOptions;
  readonly run: ScanRun;
}

const BROADCAST_UNIT = 0;
// With more units, a second request to each silent one takes too long.
const MAXIMUM_THOROUGH_UNITS = 32;
const MAXIMUM_REMARKS = 5;
// Some inverter dongles need 5 seconds.
const PATIENCE_MS = 6000;

/** Scans for units and their data; see {ScanningDriver}. */
export async function scanUnits(given: ModbusScanOptions): Promise<Proposal> {
  const { line, clock, run, options } = given;
  const client = new ScanClient({ line, clock, run, pauseMs: options.pauseMs });
  const scan = new ModbusScan(client, given);
  try {
    await scan.run();
  } catch (error) {
    if (!(error instanceof ScanEnded)) throw error;
  }
  return scan.propose();
}

class ModbusScan {
  readonly #client: ScanClient;
  readonly #given: ModbusScanOptions;
  readonly #found = new Map<number, UnitFindings>();
  readonly #notes: ScanNote[] = [];
  readonly #needs = new DeviceNeeds();
  /** Registers that probably hold no value. */
  readonly #empty: UnitFinding[] = [];
  #patientUntilMs: number | undefined;

  constructor(client: ScanClient, given: ModbusScanOptions) {
    this.#client = client;
    this.#given = given;
  }

  async run(): Promise<void> {
    const { options } = this.#given;
    const units = await this.#findUnits();
    const steps = 2 + (options.ranges ? DATA_TABLES.length : 0);
    for (const [index, unitId] of units.entries()) {
      const showProgress = (step: number, reason: FaultReason): void =>
        this.#progress(index * steps + step, units.length * steps, reason);
      await this.#scanUnit(unitId, showProgress);
    }
  }

  propose(): Proposal {
    const units = [...this.#found.values()];
    const assets = units.map((unit): ProposedAsset => toProposedAsset(unit, units.length === 1));
    const advice = this.#needs.advice.map((reason) => createNote(reason));
    const notes = [...this.#notes, ...advice, adviseNotAvailable(this.#empty) ?? []].flat();
    return { assets, notes, settings: this.#needs.settings };
  }

  /** Reports the units as soon as they are known to be distinct: a device may response every identifier. */
  async #findUnits(): Promise<readonly number[]> {
    const candidates = this.#listUnits();
    const isThorough = candidates.length <= MAXIMUM_THOROUGH_UNITS;
    const deferred: UnitPresence[] = [];
    let isAnyMissing = false;
    try {
      for (const [index, unitId] of candidates.entries()) {
        this.#progress(index, candidates.length, explainUnit(unitId));
        const presence = await this.#findUnit(unitId, isThorough);
        if (presence.isPresent) deferred.push(presence);
        else this.#addMissingNote(presence);
        isAnyMissing ||= !presence.isPresent;
        if (isAnyMissing) for (const each of deferred.splice(0)) this.#report(each);
      }
      if (!isAnyMissing && (await this.#respondsToAny(deferred.length))) deferred.splice(1);
    } finally {
      for (const each of deferred) this.#report(each);
    }
    return [...this.#found.keys()];
  }

  // A device that accepts a connection may respond only seconds later; timeouts before that prove nothing.
  async #findUnit(unitId: number, isThorough: boolean): Promise<UnitPresence> {
    const { line, clock } = this.#given;
    this.#patientUntilMs ??= clock.monotonicMs() + PATIENCE_MS;
    for (;;) {
      const presence = await findUnit(this.#client, unitId, isThorough);
      const { warmUpMs, isWarmingUp } = line.link;
      const isSilent = !presence.isPresent && presence.remark === undefined;
      if (isSilent && isWarmingUp && clock.monotonicMs() < this.#patientUntilMs) continue;
      if (presence.isPresent && warmUpMs !== undefined) this.#needs.recordWarmUp(warmUpMs);
      return presence;
    }
  }

  #report({ unitId, remark }: UnitPresence): void {
    this.#found.set(unitId, { unitId });
    const words = describeScan(...(remark === undefined ? [] : [remark]));
    const subject = nameSubject(explainUnit(unitId));
    this.#given.run.report({ type: 'found', ...subject, kind: 'UNIT', ...words, fields: { unitId } });
  }

  #addMissingNote({ remark }: UnitPresence): void {
    if (remark !== undefined && this.#notes.length < MAXIMUM_REMARKS) {
      this.#notes.push(createNote(remark));
    }
  }

  // A device with one unit may accept any unit identifier.
  async #respondsToAny(count: number): Promise<boolean> {
    if (count < 2) return false;
    const { isPresent } = await findUnit(this.#client, RESERVED_UNIT, false);
    if (isPresent) {
      this.#notes.push(createNote(createReason(MODBUS_SCAN_SENTENCES, 'SCAN_EVERY_UNIT_RESPONDS', {})));
    }
    return isPresent;
  }

  #listUnits(): readonly number[] {
    const { isSerial, options } = this.#given;
    if (!isSerial) return options.units ?? [...listFrom(1, 10), 255];
    const units = options.units ?? listFrom(1, 247);
    if (units.includes(BROADCAST_UNIT)) {
      this.#notes.push(createNote(createReason(MODBUS_SCAN_SENTENCES, 'SCAN_WITHOUT_BROADCAST', {})));
    }
    return units.filter((unitId) => unitId !== BROADCAST_UNIT);
  }

  async #scanUnit(unitId: number, showProgress: (step: number, reason: FaultReason) => void): Promise<void> {
    const { options, run, line } = this.#given;
    const sentences = MODBUS_SCAN_SENTENCES;
    const unit = unitId;
    const subject = nameSubject(explainUnit(unitId));
    showProgress(0, createReason(sentences, 'SCAN_UNIT_IDENTIFICATION', { unit }));
    if (line.link.unitsWithoutRead.includes(unitId)) await this.#needs.findReadFunction(this.#client, unitId);
    const identification = await readIdentification(this.#client, unitId);
    if (identification !== undefined) {
      this.#found.set(unitId, { unitId, identification });
      run.report({ type: 'found', ...subject, ...describeIdentification(identification) });
    }
    showProgress(1, createReason(sentences, 'SCAN_UNIT_SUNSPEC', { unit }));
    const sunspec = await readSunspecMap(this.#client, unitId);
    if (sunspec !== undefined) {
      this.#found.set(unitId, { unitId, identification, sunspec });
      for (const finding of describeModels(sunspec)) run.report({ type: 'found', ...subject, ...finding });
      if (sunspec.fault !== undefined) {
        this.#notes.push(createNote(createReason(sentences, 'SCAN_IN_SUNSPEC', { unit }), sunspec.fault));
      }
    }
    if (!options.ranges) return;
    for (const [index, table] of DATA_TABLES.entries()) {
      showProgress(2 + index, createReason(sentences, 'SCAN_UNIT_TABLE', { unit, table }));
      const { findings, notes, words } = await scanTable(this.#client, unitId, table);
      const models = table === 'HOLDING_REGISTERS' ? (sunspec?.models ?? []) : [];
      const empty = findEmptyRegisters(table, words, models);
      this.#empty.push(...empty);
      for (const finding of [...findings, ...empty]) run.report({ type: 'found', ...subject, ...finding });
      const place = createReason(sentences, 'SCAN_IN_TABLE', { unit, table });
      this.#notes.push(...notes.map((note) => createNote(place, note)));
    }
  }

  #progress(done: number, total: number, reason: FaultReason): void {
    this.#given.run.report({ type: 'progress', done, total, ...describeScan(reason) });
  }
}

function explainUnit(unit: number): FaultReason {
  return createReason(MODBUS_SCAN_SENTENCES, 'SCAN_UNIT', { unit });
}

/** Checks if a unit is present, with reads that every device should response, if only by refusing them. */
async function findUnit(
  client: Pick<ScanClient, 'send'>,
  unitId: number,
  isThorough: boolean,
): Promise<UnitPresence> {
  const request = { functionCode: 3, unitId, offset: 0, quantity: 1 } as const;
  const first = classify(await client.send(request), unitId);
  if (first !== undefined) return first;
  // Some devices ignore unsupported functions.
  const other: LineRequest = { ...request, functionCode: 4 };
  const second = isThorough ? classify(await client.send(other), unitId) : undefined;
  return second ?? { unitId, isPresent: false };
}

/** Classifies a response; undefined if there was none. */
function classify(response: ScanResponse, unitId: number): UnitPresence | undefined {
  if (response.kind === 'SILENT') return undefined;
  if (response.kind === 'INVALID') {
    const { code, detail: message } = response.error;
    return { unitId, isPresent: false, remark: quoteError({ code, message }) };
  }
  if (response.kind === 'ANSWERED') {
    return { unitId, isPresent: true, remark: createReason(MODBUS_SCAN_SENTENCES, 'SCAN_UNIT_RESPONDS', {}) };
  }
  const { exceptionCode } = response;
  // A gateway returns these for units without a path or a response.
  if (exceptionCode === GATEWAY_PATH_UNAVAILABLE || exceptionCode === GATEWAY_TARGET_FAILED) {
    return { unitId, isPresent: false };
  }
  const remark = createReason(MODBUS_SCAN_SENTENCES, 'SCAN_UNIT_RESPONDS_WITH_EXCEPTION', {
    exception: exceptionCode,
  });
  return { unitId, isPresent: true, remark };
}
