import { messageOf } from '../../../base/errors.ts';
import type { BundleSettings } from './context.ts';

type Settings = BundleSettings['current'];
type Listener = Parameters<BundleSettings['onChange']>[0];

/** The settings of the bundle, and the listeners that it has for changes. */
export class ReceivedSettings implements BundleSettings {
  #current: Settings;
  readonly #listeners: Listener[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(first: Settings) {
    this.#current = first;
  }

  get current(): Settings {
    return this.#current;
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Takes new settings, and calls the listeners one after the other, after those of earlier changes.
   *
   * @throws {Error} that names what the listeners threw; the settings stay
   */
  change(settings: Settings): Promise<void> {
    const changed = this.#turn.then(() => this.#change(settings));
    this.#turn = changed.catch(() => undefined);
    return changed;
  }

  async #change(settings: Settings): Promise<void> {
    this.#current = settings;
    const faults: string[] = [];
    for (const listener of this.#listeners) {
      try {
        await listener(settings);
      } catch (error) {
        faults.push(messageOf(error));
      }
    }
    if (faults.length > 0) throw new Error(faults.join('; '));
  }
}
