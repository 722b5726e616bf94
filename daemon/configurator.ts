import type { AssetRegistry } from './asset/asset-registry.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { Startable } from './base/lifecycle.ts';
import type { ConfigurationService } from './configuration/configuration.ts';
import type { ProvisionSource } from './settings/settings-file.ts';

export interface ConfiguratorOptions {
  readonly configuration: ConfigurationService;
  readonly registry: AssetRegistry;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly sources: readonly ProvisionSource[];
  /** Called with the number of a new snapshot once it is in force. */
  readonly onChange: (snapshotId: number) => void;
}

/** Puts the managed configuration in force: at start, and again whenever its files are read anew. */
export class Configurator implements Startable {
  readonly #configuration: ConfigurationService;
  readonly #registry: AssetRegistry;
  readonly #audit: Pick<AuditLog, 'record'>;
  readonly #onChange: ConfiguratorOptions['onChange'];
  // Given up once they are in force: they hold the whole text of their files.
  #sources: readonly ProvisionSource[];

  constructor({ configuration, registry, audit, sources, onChange }: ConfiguratorOptions) {
    this.#configuration = configuration;
    this.#registry = registry;
    this.#audit = audit;
    this.#onChange = onChange;
    this.#sources = sources;
  }

  /** @throws {ConfigurationError} */
  async start(): Promise<void> {
    await this.apply(this.#sources);
    this.#sources = [];
  }

  /** @throws {ConfigurationError} when `apply` would refuse these files; changes nothing */
  check(sources: readonly ProvisionSource[]): void {
    this.#configuration.check(sources);
  }

  /**
   * Merges what changed in the provision files; only what it touches is restarted.
   *
   * @throws {ConfigurationError} that lists every fault; what was in force before stays
   */
  async apply(sources: readonly ProvisionSource[]): Promise<void> {
    const { snapshotId, mergedSources } = await this.#configuration.provision(sources);
    if (snapshotId !== undefined) {
      const detail = { snapshot: snapshotId, sources: mergedSources.join(', ') };
      this.#audit.record({
        event: 'CONFIGURATION_CHANGED',
        outcome: 'SUCCESS',
        method: 'provisioning',
        detail,
      });
    }
    await this.#registry.apply(this.#configuration.current().plant);
    if (snapshotId !== undefined) this.#onChange(snapshotId);
  }

  /** Closes the connections to the devices. */
  async stop(): Promise<void> {
    await this.#registry.stop();
  }
}
