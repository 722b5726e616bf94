import { isDeepStrictEqual } from 'node:util';

import { explainFaults } from '../../base/document-error.ts';
import { createReason, describeReasons } from '../../base/fault-reason.ts';
import { check, z } from '../../base/schema.ts';
import { BRIDGE_FAULTS } from './fault-sentences.ts';
import { messageOf } from '../../base/errors.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { Bundle } from '../bundle/bundle.ts';
import type { BundleSession, SettingsOutcome } from '../bundle/bundle-host.ts';
import { parseDeclaredSchema } from '../bundle/declared-schema.ts';

type Settings = Readonly<Record<string, unknown>>;
type SettingsSchema = z.ZodType<Record<string, unknown>>;

/** Bundle with the schema of its settings, as its package has it. */
type DescribedBundle = Pick<Bundle, 'settings'> & { readonly name: string };

/** An installed bundle that has settings. */
interface ConfigurableBundle {
  readonly name: string;
  readonly settingsSchema: SettingsSchema;
}

interface KnownSchema {
  readonly declared: Settings;
  readonly strict: ConfigurableBundle;
  readonly lenient: ConfigurableBundle;
}

interface BundleSettingsOptions {
  /** Bundles that were installed when the gateway started. */
  readonly installed: readonly DescribedBundle[];
  /** Returns the settings of a bundle in the active configuration, without defaults; undefined: it has none. */
  readonly findSettings: (name: string) => Settings | undefined;
  /** True while the gateway starts: settings for an earlier version of a bundle do not stop it. */
  readonly isLenient: () => boolean;
}

// A bundle answers at once, unless its listener connects to something.
const CHANGE_LIMIT_MS = 30_000;

/** Settings of bundles: what their packages describe, and what the configuration says. */
export class BundleSettings {
  readonly #options: BundleSettingsOptions;
  readonly #schemas = new Map<string, KnownSchema>();
  /** What each bundle that runs has got. */
  readonly #given = new Map<BundleSession, { readonly bundle: Bundle; settings: Settings }>();
  readonly #listeners = new Set<() => void>();

  constructor(options: BundleSettingsOptions) {
    this.#options = options;
    for (const bundle of options.installed) this.#note(bundle);
  }

  /** Lists the installed bundles that have settings. */
  list(): readonly ConfigurableBundle[] {
    const mode = this.#options.isLenient() ? 'lenient' : 'strict';
    return [...this.#schemas.values()].map((known) => known[mode]);
  }

  /**
   * Notes a bundle that is about to run.
   *
   * @returns the reason that it has to wait: its settings are missing or not valid
   */
  admit(bundle: Bundle): BundleError | undefined {
    this.#note({ name: bundle.id.name, settings: bundle.settings });
    const { fault } = this.#evaluate(bundle);
    return fault;
  }

  /**
   * Returns the settings for a bundle that is being activated.
   *
   * @throws {BundleError} `BUNDLE_SETTINGS_INVALID`
   */
  give(session: BundleSession, bundle: Bundle): Settings {
    const { settings, fault } = this.#evaluate(bundle);
    if (settings === undefined) throw fault;
    this.#given.set(session, { bundle, settings });
    return settings;
  }

  /** Forgets a bundle that has ended. */
  end(session: BundleSession): void {
    this.#given.delete(session);
  }

  /** Forgets the schemas of bundles that are no longer installed. */
  forgetRemoved(isPresent: (name: string) => boolean): void {
    for (const name of this.#schemas.keys()) if (!isPresent(name)) this.#schemas.delete(name);
  }

  /** Calls a function whenever the configuration has been applied. */
  onApplied(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Notifies the listeners that the configuration has been applied. */
  announce(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Sends changed settings to the bundles that run.
   *
   * @param onOutcome called for each at once, and when it has accepted or refused them
   */
  deliver(onOutcome: (session: BundleSession, outcome: SettingsOutcome) => void): void {
    for (const [session, given] of this.#given) {
      const { settings } = this.#evaluate(given.bundle);
      if (settings === undefined || isDeepStrictEqual(settings, given.settings)) continue;
      given.settings = settings;
      onOutcome(session, { state: 'PENDING' });
      session.call('settings.changed', { settings }, { deadlineMs: CHANGE_LIMIT_MS }).then(
        () => onOutcome(session, { state: 'ACCEPTED' }),
        (error: unknown) => onOutcome(session, { state: 'REFUSED', detail: messageOf(error) }),
      );
    }
  }

  #note({ name, settings: declared }: DescribedBundle): void {
    const known = this.#schemas.get(name);
    if (declared === undefined) {
      this.#schemas.delete(name);
      return;
    }
    // The same object as long as it is the same schema: the check of a document depends on it.
    if (known !== undefined && isDeepStrictEqual(known.declared, declared)) return;
    const strict = { name, settingsSchema: restoreSchema(declared) };
    const lenient = { name, settingsSchema: toLenient(strict.settingsSchema) };
    this.#schemas.set(name, { declared, strict, lenient });
  }

  #evaluate({ id: { name }, settings: declared }: Bundle): Evaluation {
    if (declared === undefined) return { settings: {}, fault: undefined };
    const { value, faults } = check(restoreSchema(declared), this.#options.findSettings(name) ?? {});
    if (value !== undefined) return { settings: value, fault: undefined };
    const [fault] = faults;
    const awaited = createReason(BRIDGE_FAULTS, 'SETTINGS_AWAITED', {});
    const hint = createReason(BRIDGE_FAULTS, 'SEE_COMMAND', { command: `penstock bundle configure ${name}` });
    const { detail, reasons } = explainFaults(fault === undefined ? [] : [fault]);
    const message = describeReasons([awaited, { code: '', parameters: {}, message: detail }, hint]);
    const all = reasons && [awaited, ...reasons, hint];
    return {
      settings: undefined,
      fault: new BundleError('BUNDLE_SETTINGS_INVALID', message, undefined, all),
    };
  }
}

type Evaluation =
  | { readonly settings: Settings; readonly fault: undefined }
  | { readonly settings: undefined; readonly fault: BundleError };

/** A schema that an earlier release accepted and this one does not accepts any object. */
function restoreSchema(declared: Settings): SettingsSchema {
  try {
    return parseDeclaredSchema('settings', declared);
  } catch {
    return z.record(z.string(), z.unknown());
  }
}

/** Lets what is not valid pass; described as the schema itself, so that secrets stay secret. */
function toLenient(schema: SettingsSchema): SettingsSchema {
  const { $schema: _dialect, ...description } = z.toJSONSchema(schema, { io: 'input' });
  return z
    .record(z.string(), z.unknown())
    .meta(description)
    .transform((value) => schema.safeParse(value).data ?? value);
}
