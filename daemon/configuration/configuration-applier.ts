import type { AssetRegistry } from '../plant/asset/asset-registry.ts';
import { describeChanges } from '../security/audit/change-detail.ts';
import type { AuditLog } from '../security/audit/audit-log.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import type { ChangeOutcome, ConfigurationChange } from './store/configuration-change.ts';
import type { ConfigurationStore } from './store/configuration-store.ts';
import { requirePendingChange } from './pending-change.ts';
import type { ProvisionSource } from '../settings/settings-file.ts';

// A full disk prevents the revert: retry until there is space again.
const REVERT_RETRY_SECONDS = 60;

/** Active change that is reverted unless confirmed. */
export interface PendingChange {
  /** Number of its snapshot. */
  readonly snapshotId: number;
  /** Number of the snapshot to go back to; 0 for the empty document. */
  readonly revertTo: number;
  /** Name of the identity that made it. */
  readonly author?: string | undefined;
  readonly secondsLeft: number;
}

interface ConfigurationApplierOptions {
  readonly configuration: ConfigurationStore;
  readonly registry: AssetRegistry;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly sources: readonly ProvisionSource[];
  /** Called after the plant has been applied, whether it has changed or not. */
  readonly onPlantApplied: () => Promise<void>;
  /** Called with the number of a new snapshot once it is active. */
  readonly onChange: (snapshotId: number) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Applies the managed configuration at the start, on a reload and on a change. A change with a time limit is reverted unless
 * it is confirmed in time (commit-confirm).
 */
export class ConfigurationApplier implements Startable {
  readonly #options: Omit<ConfigurationApplierOptions, 'sources'>;
  // Emptied once applied: they contain the whole text of their files.
  #sources: readonly ProvisionSource[];
  #cancelRevert: Cancel | undefined;
  // Clock.monotonicMs() at which the pending change is reverted.
  #revertAtMs = Infinity;

  constructor({ sources, ...options }: ConfigurationApplierOptions) {
    this.#options = options;
    this.#sources = sources;
  }

  /**
   * Reverts a change that was not confirmed before the daemon ended, then merges the files.
   *
   * @throws {ConfigurationError}
   */
  async start(): Promise<void> {
    await this.apply(this.#sources);
    this.#sources = [];
  }

  /**
   * Checks whether `apply` would accept these files; changes nothing.
   *
   * @throws {ConfigurationError} as `apply` does
   */
  async check(sources: readonly ProvisionSource[]): Promise<void> {
    await this.#options.configuration.check(sources);
  }

  /**
   * Reverts an unconfirmed change, then merges what changed in the provision files. Only connections that the difference
   * affects are restarted.
   *
   * @throws {ConfigurationError} that lists every error; what was in force before stays
   */
  async apply(sources: readonly ProvisionSource[]): Promise<void> {
    const { configuration, audit } = this.#options;
    await this.#revertUnconfirmed();
    const { snapshotId, mergedSources, changes } = await configuration.provision(sources);
    if (snapshotId !== undefined) {
      const head = { snapshot: snapshotId, sources: mergedSources.join(', ') };
      for (const detail of describeChanges(head, changes)) {
        audit.record({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', method: 'provisioning', detail });
      }
    }
    await this.#applyPlant(snapshotId);
  }

  /**
   * Changes the configuration; only connections that the change affects are restarted.
   *
   * @param confirmWithinSeconds unless `confirm` is called within this time, the change is reverted when it ends or at the
   *   next start; undefined: the change needs no confirmation
   * @throws as `ConfigurationStore.change` does
   */
  async change(
    change: Omit<ConfigurationChange, 'needsConfirmation'>,
    confirmWithinSeconds: number | undefined,
  ): Promise<ChangeOutcome> {
    const { configuration } = this.#options;
    const needsConfirmation = confirmWithinSeconds !== undefined;
    const outcome = await configuration.change({ ...change, needsConfirmation });
    if (!outcome.isSaved) return outcome;
    if (needsConfirmation) this.#scheduleRevert(confirmWithinSeconds);
    await this.#applyPlant(outcome.snapshotId);
    return outcome;
  }

  /**
   * Confirms the pending change.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @throws {Conflict} as `requirePendingChange` does
   */
  confirm(expectedSnapshotId?: number): void {
    this.#options.configuration.confirm(expectedSnapshotId);
    this.#cancelPendingRevert();
  }

  /** Finds the pending change and its remaining time. */
  findPending(): PendingChange | undefined {
    const { configuration, clock } = this.#options;
    const unconfirmed = configuration.findUnconfirmed();
    if (unconfirmed === undefined) return undefined;
    const leftMs = Math.max(this.#revertAtMs - clock.monotonicMs(), 0);
    // At the start, before it is reverted, none is planned.
    return { ...unconfirmed, secondsLeft: Number.isFinite(leftMs) ? Math.ceil(leftMs / 1000) : 0 };
  }

  /**
   * Reverts the pending change now, as if its time had ended.
   *
   * @param expectedSnapshotId number of its snapshot; undefined: any
   * @returns the number of the snapshot that is active instead
   * @throws {Conflict} as `requirePendingChange` does
   */
  async revertPending(expectedSnapshotId?: number): Promise<number> {
    const pending = requirePendingChange(this.findPending(), expectedSnapshotId);
    const snapshotId = await this.#revertPending(pending);
    // Another client has confirmed or reverted it.
    if (snapshotId === undefined) return this.revertPending(pending.snapshotId);
    await this.#applyPlant(snapshotId);
    return snapshotId;
  }

  /** Closes the connections to the devices. */
  async stop(): Promise<void> {
    this.#cancelPendingRevert();
    await this.#options.registry.stop();
  }

  async #revertPending({ snapshotId, secondsLeft }: PendingChange): Promise<number | undefined> {
    try {
      return await this.#revertUnconfirmed(snapshotId);
    } catch (error) {
      // It is still reverted when its time ends.
      this.#scheduleRevert(secondsLeft);
      throw error;
    }
  }

  #scheduleRevert(delaySeconds: number): void {
    const { clock, logger } = this.#options;
    this.#revertAtMs = clock.monotonicMs() + delaySeconds * 1000;
    this.#cancelRevert = clock.schedule(delaySeconds * 1000, () => {
      this.#revertUnconfirmed()
        .then((snapshotId) => this.#applyPlant(snapshotId))
        .catch((error: unknown) => {
          logger.error('configuration.notReverted', { error, retryAfterSeconds: REVERT_RETRY_SECONDS });
          this.#scheduleRevert(REVERT_RETRY_SECONDS);
        });
    });
  }

  #cancelPendingRevert(): void {
    this.#cancelRevert?.();
    this.#cancelRevert = undefined;
  }

  /** @param takenBackId number of the snapshot that a client reverts; undefined: that of any pending change */
  async #revertUnconfirmed(takenBackId?: number): Promise<number | undefined> {
    this.#cancelPendingRevert();
    const { configuration, audit, logger } = this.#options;
    const reverted = await configuration.revertUnconfirmed(takenBackId);
    if (reverted === undefined) return undefined;
    const { snapshotId: snapshot, changes } = reverted;
    const reason = takenBackId === undefined ? 'not confirmed' : 'reverted on request';
    logger.warn('configuration.reverted', { snapshot, reason });
    // The request has its own audit event, with its sender.
    if (takenBackId !== undefined) return snapshot;
    for (const detail of describeChanges({ snapshot, reason }, changes)) {
      audit.record({ event: 'CONFIGURATION_CHANGED', outcome: 'SUCCESS', detail });
    }
    return snapshot;
  }

  async #applyPlant(snapshotId: number | undefined): Promise<void> {
    const { registry, configuration, onPlantApplied, onChange, logger } = this.#options;
    for (const warning of configuration.listWarnings())
      logger.warn('configuration.warningFound', { warning });
    await registry.apply(configuration.current().plant);
    await onPlantApplied();
    if (snapshotId !== undefined) onChange(snapshotId);
  }
}
