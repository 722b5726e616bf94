import { GatewayError } from '../../../daemon/base/errors.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import { describeScan } from '../../../daemon/channel/discovery.ts';
import type { Settings } from '../../../daemon/channel/discovery.ts';
import type { SettingsSearch } from '../../../daemon/channel/driver.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { ExceptionResponse } from '../modbus-errors.ts';
import { configSchema } from '../modbus-config.ts';
import type { ConfigOf } from '../modbus-config.ts';
import type { ModbusClient } from '../link/modbus-client.ts';
import { createTransport, describeEndpoint } from '../link/transport.ts';
import type { TransportParts } from '../link/transport.ts';
import { MODBUS_SCAN_SENTENCES } from '../scan-sentences.ts';
import { UnitSettingsTable } from '../unit-settings.ts';
import type { ScanOptions } from './scan-options.ts';

type LinkParts = Pick<TransportParts, 'links' | 'ports'>;

/** Character format and speed of a line. */
interface LineForm {
  readonly baudRate: number;
  readonly parity: 'none' | 'even' | 'odd';
  readonly stopBits: 1 | 2;
}

// Most common first; 19200 with even parity is the default of the standard (MODBUS over Serial Line V1.02, 2.5.1).
const BAUD_RATES = [9600, 19_200, 38_400, 115_200, 57_600, 4800, 2400, 1200] as const;
const CHARACTERS = [
  { parity: 'none', stopBits: 1 },
  { parity: 'even', stopBits: 1 },
  { parity: 'odd', stopBits: 1 },
  { parity: 'none', stopBits: 2 },
] as const;
const USUAL_UNITS = [1, 2, 3, 247] as const;
const MAXIMUM_UNITS = 8;
// Cost of each combination per silent unit; units of a serial line respond within a tenth of it.
const RESPONSE_LIMIT_MS = 500;
const PARITY_LETTERS = { none: 'N', even: 'E', odd: 'O' } as const;

/**
 * Detects the speed and parity of a serial line in RTU mode: tries the usual values until a unit responds twice with a
 * correct checksum. Given values are kept.
 *
 * @returns the settings with the detected values; undefined if no unit responded
 * @throws {ConnectionError} if the line cannot be opened
 */
export async function findLineSettings(
  given: Settings,
  search: SettingsSearch<ScanOptions>,
  parts: LinkParts,
): Promise<Settings | undefined> {
  const config = configSchema.parse(given);
  const hasRate = given['baudRate'] !== undefined;
  const hasParity = given['parity'] !== undefined;
  if (config.transport !== 'rtu' || (hasRate && hasParity)) return given;
  const { options, report, signal } = search;
  const units = (options.units ?? USUAL_UNITS).filter((unit) => unit !== 0).slice(0, MAXIMUM_UNITS);
  const forms = listForms(config, hasRate, hasParity);
  for (const [index, form] of forms.entries()) {
    if (signal.aborted) return undefined;
    report({ type: 'progress', done: index, total: forms.length, text: describeForm(form) });
    const line = new TriedLine({ ...given, ...form }, search, parts);
    const unitId = await line.findUnit(units);
    if (unitId === undefined) continue;
    const values = { line: describeForm(form), unit: unitId };
    report({
      type: 'found',
      subject: line.endpoint,
      kind: 'LINE',
      ...describeScan(createReason(MODBUS_SCAN_SENTENCES, 'SCAN_LINE_OF_UNIT', values)),
      fields: { ...form, unitId },
    });
    return { ...given, ...form };
  }
  return undefined;
}

/** Lists the formats that match the given settings. */
function listForms(given: ConfigOf<'rtu'>, hasRate: boolean, hasParity: boolean): readonly LineForm[] {
  const { baudRate: rate, parity: ownParity, stopBits: ownBits } = given;
  const usual = CHARACTERS.filter(
    ({ parity, stopBits }) => (!hasParity || parity === ownParity) && (ownBits ?? stopBits) === stopBits,
  );
  const characters = usual.length > 0 ? usual : [{ parity: ownParity, stopBits: ownBits ?? 1 }];
  const rates = hasRate ? [rate] : BAUD_RATES;
  return rates.flatMap((baudRate) =>
    characters.map(({ parity, stopBits }) => ({ baudRate, parity, stopBits })),
  );
}

function describeForm({ baudRate, parity, stopBits }: LineForm): string {
  return `${baudRate} bit/s 8${PARITY_LETTERS[parity]}${stopBits}`;
}

/** A line opened with one character format. */
class TriedLine {
  readonly endpoint: string;
  readonly #search: SettingsSearch<ScanOptions>;
  readonly #client: ModbusClient;

  constructor(settings: Settings, search: SettingsSearch<ScanOptions>, parts: LinkParts) {
    const config = configSchema.parse(settings);
    this.endpoint = describeEndpoint(config);
    this.#search = search;
    const { context } = search;
    const transport = createTransport(config, { ...parts, settings: new UnitSettingsTable(config), context });
    const ignore = (): void => undefined;
    this.#client = transport.createClient({ onLost: ignore, onCount: ignore, onLateProbeResponse: ignore });
  }

  /** Returns the first unit that responds twice. */
  async findUnit(units: readonly number[]): Promise<number | undefined> {
    const { signal } = this.#search;
    await this.#client.open(signal);
    try {
      for (const unitId of units) {
        if (signal.aborted || !this.#client.isOpen) return undefined;
        // Noise has a correct checksum once in 65536 times.
        if ((await this.#responds(unitId, 1)) && (await this.#responds(unitId, 2))) return unitId;
      }
      return undefined;
    } finally {
      this.#client.close(new ConnectionError({ code: 'CONNECTION_CLOSED', detail: 'the search ended' }));
    }
  }

  async #responds(unitId: number, quantity: number): Promise<boolean> {
    const request = { functionCode: 3, unitId, offset: 0, quantity } as const;
    try {
      const { signal } = this.#search;
      await this.#client.transact(request, { timeoutMs: RESPONSE_LIMIT_MS, signal });
      return true;
    } catch (error) {
      if (error instanceof ExceptionResponse) return true;
      if (error instanceof GatewayError || this.#search.signal.aborted) return false;
      throw error;
    }
  }
}
