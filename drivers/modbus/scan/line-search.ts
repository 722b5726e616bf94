import { GatewayError } from '../../../daemon/base/errors.ts';
import type { Settings } from '../../../daemon/channel/discovery.ts';
import type { SettingsSearch } from '../../../daemon/channel/driver.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { Links } from '../../link/links.ts';
import { ExceptionAnswer } from '../modbus-errors.ts';
import { configSchema } from '../modbus-config.ts';
import type { ConfigOf } from '../modbus-config.ts';
import type { ModbusClient } from '../link/modbus-client.ts';
import { createTransport, describeEndpoint } from '../link/transport.ts';
import { UnitSettingsTable } from '../unit-settings.ts';
import type { ScanOptions } from './scan-options.ts';

/** How the characters of a line are sent. */
interface LineForm {
  readonly baudRate: number;
  readonly parity: 'none' | 'even' | 'odd';
  readonly stopBits: 1 | 2;
}

// The most frequent first; 19200 with even parity is the standard's own (MODBUS over Serial Line V1.02, 2.5.1).
const BAUD_RATES = [9600, 19_200, 38_400, 115_200, 57_600, 4800, 2400, 1200] as const;
const CHARACTERS = [
  { parity: 'none', stopBits: 1 },
  { parity: 'even', stopBits: 1 },
  { parity: 'odd', stopBits: 1 },
  { parity: 'none', stopBits: 2 },
] as const;
const USUAL_UNITS = [1, 2, 3, 247] as const;
const MAXIMUM_UNITS = 8;
// Every combination costs this for each unit that is silent; units of a serial line answer within a tenth of it.
const ANSWER_LIMIT_MS = 500;
const PARITY_LETTERS = { none: 'N', even: 'E', odd: 'O' } as const;

/**
 * Finds the speed and the parity of a serial line in RTU mode: tries the usual ones until a unit answers twice, each time with the
 * right check sum. What was given is not tried in other ways.
 *
 * @returns the settings with what was found; undefined when no unit answered
 * @throws {ConnectionError} when the line cannot be opened
 */
export async function findLineSettings(
  given: Settings,
  search: SettingsSearch<ScanOptions>,
  links: Links,
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
    const line = new TriedLine({ ...given, ...form }, search, links);
    const unitId = await line.findUnit(units);
    if (unitId === undefined) continue;
    const text = `${describeForm(form)}; unit ${unitId} responds`;
    report({ type: 'found', subject: line.endpoint, kind: 'LINE', text, fields: { ...form, unitId } });
    return { ...given, ...form };
  }
  return undefined;
}

/** Lists the forms that fit what was given. */
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

/** A line that is opened with one form of its characters. */
class TriedLine {
  readonly endpoint: string;
  readonly #search: SettingsSearch<ScanOptions>;
  readonly #client: ModbusClient;

  constructor(settings: Settings, search: SettingsSearch<ScanOptions>, links: Links) {
    const config = configSchema.parse(settings);
    this.endpoint = describeEndpoint(config);
    this.#search = search;
    const { context } = search;
    const transport = createTransport(config, { links, settings: new UnitSettingsTable(config), context });
    const ignore = (): void => undefined;
    this.#client = transport.createClient({ onLost: ignore, onCount: ignore, onLateProbeAnswer: ignore });
  }

  /** Returns the first unit that answers twice. */
  async findUnit(units: readonly number[]): Promise<number | undefined> {
    const { signal } = this.#search;
    await this.#client.open(signal);
    try {
      for (const unitId of units) {
        if (signal.aborted || !this.#client.isOpen) return undefined;
        // Noise has the right check sum once in 65536 times.
        if ((await this.#answers(unitId, 1)) && (await this.#answers(unitId, 2))) return unitId;
      }
      return undefined;
    } finally {
      this.#client.close(new ConnectionError({ code: 'CONNECTION_CLOSED', detail: 'the search ended' }));
    }
  }

  async #answers(unitId: number, quantity: number): Promise<boolean> {
    const request = { functionCode: 3, unitId, offset: 0, quantity } as const;
    try {
      const { signal } = this.#search;
      await this.#client.transact(request, { timeoutMs: ANSWER_LIMIT_MS, signal });
      return true;
    } catch (error) {
      if (error instanceof ExceptionAnswer) return true;
      if (error instanceof GatewayError || this.#search.signal.aborted) return false;
      throw error;
    }
  }
}
