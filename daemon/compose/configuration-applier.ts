import type { AssetRegistry } from '../asset/asset-registry.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import type {
  ChangeOutcome,
  ConfigurationChange,
  ConfigurationStore,
} from '../configuration/configuration-store.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';

// A medium that is full for a while must not leave in force what nobody has confirmed.
const REVERT_RETRY_SECONDS = 60;

export interface ConfigurationApplierOptions {
  readonly configuration: ConfigurationStore;
  readonly registry: AssetRegistry;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly sources: readonly ProvisionSource[];
  /** Called with the number of a new snapshot once it is in force. */
  readonly onChange: (snapshotId: number) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Puts the managed configuration in force: at start, whenever its files are read anew, and when somebody changes it. */
export class ConfigurationApplier implements Startable {
  readonly #options: Omit<ConfigurationApplierOptions, 'sources'>;
  // Given up once they are in force: they hold the whole text of their files.
  #sources: readonly ProvisionSource[];
  #cancelTrial: Cancel | undefined;

  constructor({ sources, ...options }: ConfigurationApplierOptions) {
    this.#options = options;
    this.#sources = sources;
  }

  /**
   * Takes back what nobody has confirmed before the daemon ended, then merges the files.
   *
   * @throws {ConfigurationError}
   */
  async start(): Promise<void> {
    await this.apply(this.#sources);
    this.#sources = [];
  }

  /** @throws {ConfigurationError} when `apply` would refuse these files; changes nothing */
  check(sources: readonly ProvisionSource[]): void {
    this.#options.configuration.check(sources);
  }

  /**
   * Merges what changed in the provision files; only what it touches is restarted. What is on trial is taken back first.
   *
   * @throws {ConfigurationError} that lists every fault; what was in force before stays
   */
  async apply(sources: readonly ProvisionSource[]): Promise<void> {
    const { configuration, audit } = this.#options;
    await this.#revertTrial();
    const { snapshotId, mergedSources } = await configuration.provision(sources);
    if (snapshotId !== undefined) {
      const detail = { snapshot: snapshotId, sources: mergedSources.join(', ') };
      audit.record({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', method: 'provisioning', detail });
    }
    await this.#applyPlant(snapshotId);
  }

  /**
   * Changes the configuration; only what it touches is restarted.
   *
   * @param confirmWithinSeconds the change is taken back after so long, and at the next start, unless `confirm` is called
   *   before; undefined: it stays
   * @throws as `ConfigurationStore.change` does
   */
  async change(
    change: Omit<ConfigurationChange, 'isTrial'>,
    confirmWithinSeconds: number | undefined,
  ): Promise<ChangeOutcome> {
    const { configuration } = this.#options;
    const isTrial = confirmWithinSeconds !== undefined;
    const outcome = await configuration.change({ ...change, isTrial });
    if (!outcome.isSaved) return outcome;
    if (isTrial) this.#scheduleRevert(confirmWithinSeconds);
    await this.#applyPlant(outcome.snapshotId);
    return outcome;
  }

  /** @throws {Conflict} `CONFIRMATION_NOT_PENDING` */
  confirm(): void {
    this.#options.configuration.confirm();
    this.#endTrial();
  }

  /** Closes the connections to the devices. */
  async stop(): Promise<void> {
    this.#endTrial();
    await this.#options.registry.stop();
  }

  #scheduleRevert(delaySeconds: number): void {
    const { clock, logger } = this.#options;
    this.#cancelTrial = clock.schedule(delaySeconds * 1000, () => {
      this.#revertTrial()
        .then((snapshotId) => this.#applyPlant(snapshotId))
        .catch((error: unknown) => {
          logger.error('configuration.revertFailed', { error, retryAfterSeconds: REVERT_RETRY_SECONDS });
          this.#scheduleRevert(REVERT_RETRY_SECONDS);
        });
    });
  }

  #endTrial(): void {
    this.#cancelTrial?.();
    this.#cancelTrial = undefined;
  }

  async #revertTrial(): Promise<number | undefined> {
    this.#endTrial();
    const { configuration, audit, logger } = this.#options;
    const snapshot = await configuration.revertTrial();
    if (snapshot === undefined) return undefined;
    logger.warn('configuration.reverted', { snapshot });
    const detail = { snapshot, reason: 'not confirmed' };
    audit.record({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', detail });
    return snapshot;
  }

  async #applyPlant(snapshotId: number | undefined): Promise<void> {
    const { registry, configuration, onChange } = this.#options;
    await registry.apply(configuration.current().plant);
    if (snapshotId !== undefined) onChange(snapshotId);
  }
}
