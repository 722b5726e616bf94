import { readConfigurationSchema } from '../../interface/configuration/configuration.ts';
import { UsageError } from '../command-error.ts';
import type { RestClient } from '../client/rest-client.ts';
import { listAlternatives } from './setting.ts';
import type { SettingSchema } from './setting.ts';
import { suggest } from '../terminal/suggestion.ts';

/** Configuration schema of the gateway, including all driver types, also those of packages. */
class GatewaySchema {
  readonly #sections: Readonly<Record<string, SettingSchema>>;

  constructor(schema: SettingSchema) {
    this.#sections = schema.properties ?? {};
  }

  /** Names of the sections. */
  get sections(): readonly string[] {
    return Object.keys(this.#sections);
  }

  /** Driver types. */
  get driverTypes(): readonly string[] {
    return [...new Set(this.#drivers.flatMap((driver) => typesOf(driver)))];
  }

  /**
   * Returns the schema of a section, or of an item of a list section.
   *
   * @throws {UsageError} for an unknown name
   */
  getSection(name: string): SettingSchema {
    const section = Object.hasOwn(this.#sections, name) ? this.#sections[name] : undefined;
    if (section === undefined) {
      throw new UsageError(`unknown section "${name}"${suggest(name, this.sections)}`);
    }
    return section.items ?? section;
  }

  /**
   * Returns the schema of a driver type.
   *
   * @throws {UsageError} for an unknown type
   */
  getDriver(type: string): SettingSchema {
    const driver = this.#drivers.find((each) => typesOf(each).includes(type));
    if (driver !== undefined) return driver;
    throw new UsageError(`unknown driver type "${type}"${suggest(type, this.driverTypes)}`);
  }

  /** Symbolic names of the installed bundles that have settings. */
  get bundles(): readonly string[] {
    return this.#bundles.flatMap(({ properties }) => {
      const pid = properties?.['pid']?.const;
      return typeof pid === 'string' ? [pid] : [];
    });
  }

  /**
   * Returns the schema of the settings of a bundle.
   *
   * @throws {UsageError} for a bundle that is not installed, or has no settings
   */
  getBundle(name: string): SettingSchema {
    const bundle = this.#bundles.find(({ properties }) => properties?.['pid']?.const === name);
    const settings = bundle?.properties?.['settings'];
    if (settings !== undefined) return settings;
    throw new UsageError(`no bundle "${name}" with settings is installed${suggest(name, this.bundles)}`);
  }

  /** Schema of an asset without its channels, which are not settings. */
  get asset(): SettingSchema {
    return withoutChannels(this.getSection('assets'));
  }

  /** Returns the channel schema for a driver type; for a type without its own address, that of any driver. */
  getChannel(driverType: string): SettingSchema {
    const assets = listAlternatives(this.getSection('assets'));
    const channel =
      assets.find(({ properties }) => properties?.['channels'] !== undefined)?.properties?.['channels']
        ?.items ?? {};
    const { address, ...properties } = channel.properties ?? {};
    const own = address?.anyOf?.find(({ title }) => title === `Address of a driver ${driverType}`);
    return { ...channel, properties: { ...properties, address: own ?? address ?? {} } };
  }

  /** Returns the schema of an item of a list section: for a driver that of its type, for an asset without channels. */
  getItem(section: string, item: Readonly<Record<string, unknown>>): SettingSchema {
    if (section === 'drivers') return this.getDriver(String(item['type']));
    return section === 'assets' ? this.asset : this.getSection(section);
  }

  get #bundles(): readonly SettingSchema[] {
    return this.getSection('bundles').anyOf ?? [];
  }

  get #drivers(): readonly SettingSchema[] {
    return this.getSection('drivers').anyOf ?? [];
  }
}

function withoutChannels(asset: SettingSchema): SettingSchema {
  const { properties, anyOf } = asset;
  const others = Object.entries(properties ?? {}).filter(([name]) => name !== 'channels');
  return {
    ...asset,
    ...(properties === undefined ? {} : { properties: Object.fromEntries(others) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(withoutChannels) }),
  };
}

function typesOf(driver: SettingSchema): readonly string[] {
  return listAlternatives(driver).flatMap(({ properties }) => {
    const type = properties?.['type']?.const;
    return typeof type === 'string' ? [type] : [];
  });
}

/** Fetches the configuration schema of the gateway. */
export async function fetchSchema(client: RestClient): Promise<GatewaySchema> {
  return new GatewaySchema((await client.call(readConfigurationSchema)) as SettingSchema);
}
