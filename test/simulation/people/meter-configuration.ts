import type { Meter } from '../bundles/meter.ts';
import type { Answer } from '../http/answer-parser.ts';
import type { Channels, PlantModel } from '../plant/plant-model.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { AskingClient } from './asking-client.ts';

interface MeterConfigurationParts {
  readonly client: AskingClient;
  readonly chronicle: Chronicle;
  readonly meter: Meter;
  readonly model: PlantModel;
}

const ROOT = '/services/configuration/v1';

/** Whether the meter is in the configuration; UNKNOWN after a change without an answer. */
type State = 'ABSENT' | 'PRESENT' | 'UNKNOWN';

/** Keeps the driver of a bundle and an asset on it in the configuration, while the package of the bundle is installed. */
export class MeterConfiguration {
  readonly #parts: MeterConfigurationParts;
  readonly #channels: Channels;
  #driver: State = 'ABSENT';
  #asset: State = 'ABSENT';

  constructor(parts: MeterConfigurationParts) {
    this.#parts = parts;
    this.#channels = new Map(parts.meter.points.map((point) => [point.channel.name, point]));
  }

  /** Finds out what is not known, and adds what is missing. @param isInstalled whether the package is */
  async settle(isInstalled: boolean): Promise<void> {
    await this.#findOut();
    if (!isInstalled) return;
    const { driver, asset } = this.#parts.meter;
    const { pid, points } = asset;
    if (this.#driver === 'ABSENT') {
      const answer = await this.#change('PUT', `drivers/${driver.pid}`, driver);
      this.#driver = toState(answer, 'ABSENT', 'PRESENT');
    }
    if (this.#driver !== 'PRESENT' || this.#asset !== 'ABSENT') return;
    const pending = this.#parts.model.begin(this.#parts.meter, pid, this.#channels);
    const channels = points.map(({ channel }) => channel);
    const answer = await this.#change('PUT', `assets/${pid}`, { pid, driver: driver.pid, channels });
    this.#asset = toState(answer, 'ABSENT', 'PRESENT');
    if (this.#asset === 'PRESENT') pending.confirm();
    if (this.#asset === 'ABSENT') pending.refuse();
  }

  /** Removes both; returns whether they are gone. */
  async remove(): Promise<boolean> {
    const { meter, model } = this.#parts;
    const pid = meter.asset.pid;
    if (this.#asset === 'PRESENT') {
      const pending = model.begin(meter, pid, undefined);
      this.#asset = toState(await this.#change('DELETE', `assets/${pid}`), 'PRESENT', 'ABSENT');
      if (this.#asset === 'ABSENT') pending.confirm();
      if (this.#asset === 'PRESENT') pending.refuse();
    }
    if (this.#asset === 'ABSENT' && this.#driver === 'PRESENT') {
      const answer = await this.#change('DELETE', `drivers/${meter.driver.pid}`);
      this.#driver = toState(answer, 'PRESENT', 'ABSENT');
    }
    return this.#asset === 'ABSENT' && this.#driver === 'ABSENT';
  }

  /** Checks `configuration-kept`. */
  async check(): Promise<void> {
    const { chronicle, meter } = this.#parts;
    const expected = [
      [`drivers/${meter.driver.pid}`, this.#driver],
      [`assets/${meter.asset.pid}`, this.#asset],
    ] as const;
    for (const [place, state] of expected) {
      const found = await this.#find(place);
      if (state === 'UNKNOWN' || found === undefined || found === state) continue;
      chronicle.break('configuration-kept', `${place} is ${found}, and was ${state}`);
    }
  }

  async #findOut(): Promise<void> {
    const { model, meter } = this.#parts;
    const pid = meter.asset.pid;
    if (this.#driver === 'UNKNOWN')
      this.#driver = (await this.#find(`drivers/${meter.driver.pid}`)) ?? 'UNKNOWN';
    if (this.#asset !== 'UNKNOWN') return;
    this.#asset = (await this.#find(`assets/${pid}`)) ?? 'UNKNOWN';
    if (this.#asset === 'UNKNOWN') return;
    model.begin(meter, pid, this.#asset === 'PRESENT' ? this.#channels : undefined).confirm();
  }

  async #find(place: string): Promise<'PRESENT' | 'ABSENT' | undefined> {
    const answer = await this.#parts.client.ask({ method: 'GET', path: `${ROOT}/${place}` });
    if (answer?.status === 200) return 'PRESENT';
    return answer?.status === 404 ? 'ABSENT' : undefined;
  }

  async #change(method: string, place: string, body?: unknown): Promise<Answer | undefined> {
    const { client, chronicle } = this.#parts;
    const tag = await client.ask({ method: 'GET', path: `${ROOT}/rest` });
    const etag = tag?.headers['etag'];
    // Without a tag nothing was asked for.
    if (etag === undefined) return { status: 503, headers: {}, body: '' };
    const answer = await client.ask({
      method,
      path: `${ROOT}/${place}`,
      headers: { 'content-type': 'application/json', 'if-match': etag },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer !== undefined && ![200, 409, 412, 503].includes(answer.status)) {
      chronicle.break('answer-shape', `${method} ${place}: ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    return answer;
  }
}

function toState(answer: Answer | undefined, before: State, after: State): State {
  if (answer === undefined) return 'UNKNOWN';
  return answer.status === 200 ? after : before;
}
