import type { AssetRegistry } from './asset/asset-registry.ts';
import type { Startable } from './base/lifecycle.ts';
import type { ConfigurationService } from './configuration/configuration.ts';
import type { ProvisionSource } from './settings/settings-file.ts';

export interface ConfiguratorOptions {
  readonly configuration: ConfigurationService;
  readonly registry: AssetRegistry;
  readonly sources: readonly ProvisionSource[];
}

/** Puts the managed configuration in force: at start, and again whenever its files are read anew. */
export class Configurator implements Startable {
  readonly #options: ConfiguratorOptions;

  constructor(options: ConfiguratorOptions) {
    this.#options = options;
  }

  /** @throws {ConfigurationError} */
  start(): Promise<void> {
    return this.apply(this.#options.sources);
  }

  /**
   * Merges what changed in the provision files; only what it touches is restarted.
   *
   * @throws {ConfigurationError} that lists every fault; what was in force before stays
   */
  async apply(sources: readonly ProvisionSource[]): Promise<void> {
    const { configuration, registry } = this.#options;
    await configuration.provision(sources);
    await registry.apply(configuration.current().plant);
  }

  /** Closes the connections to the devices. */
  async stop(): Promise<void> {
    await this.#options.registry.stop();
  }
}
