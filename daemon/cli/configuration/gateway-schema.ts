import { readConfigurationSchema } from '../../interface/configuration/configuration.ts';
import { UsageError } from '../command-error.ts';
import type { RestClient } from '../client/rest-client.ts';
import { listAlternatives } from './setting.ts';
import type { SettingSchema } from './setting.ts';
import { suggest } from '../terminal/suggestion.ts';

/** What the gateway says about its configuration: every kind of driver that it has, those of packages included. */
class GatewaySchema {
  readonly #sections: Readonly<Record<string, SettingSchema>>;

  constructor(schema: SettingSchema) {
    this.#sections = schema.properties ?? {};
  }

  /** Lists the names of the sections. */
  get sections(): readonly string[] {
    return Object.keys(this.#sections);
  }

  /** Lists the kinds of drivers. */
  get driverTypes(): readonly string[] {
    return [...new Set(this.#drivers.flatMap((driver) => typesOf(driver)))];
  }

  /**
   * Returns the schema of a section, or of an item of a section that is a list.
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
   * Returns the schema of a driver of this kind.
   *
   * @throws {UsageError} for an unknown kind
   */
  getDriver(type: string): SettingSchema {
    const driver = this.#drivers.find((each) => typesOf(each).includes(type));
    if (driver !== undefined) return driver;
    throw new UsageError(`unknown driver type "${type}"${suggest(type, this.driverTypes)}`);
  }

  /** Returns the schema of an asset without its channels, which are no settings. */
  get asset(): SettingSchema {
    return withoutChannels(this.getSection('assets'));
  }

  /** Returns the schema of a channel that a driver of this kind serves; of any driver, when it has no address of its own. */
  getChannel(driverType: string): SettingSchema {
    const assets = listAlternatives(this.getSection('assets'));
    const channel =
      assets.find(({ properties }) => properties?.['channels'] !== undefined)?.properties?.['channels']
        ?.items ?? {};
    const { address, ...properties } = channel.properties ?? {};
    const own = address?.anyOf?.find(({ title }) => title === `Address of a driver ${driverType}`);
    return { ...channel, properties: { ...properties, address: own ?? address ?? {} } };
  }

  /** Returns the schema of an item of a section that is a list; of a driver that of its kind, of an asset without its channels. */
  getItem(section: string, item: Readonly<Record<string, unknown>>): SettingSchema {
    if (section === 'drivers') return this.getDriver(String(item['type']));
    return section === 'assets' ? this.asset : this.getSection(section);
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

/** Asks the gateway for its schema. */
export async function fetchSchema(client: RestClient): Promise<GatewaySchema> {
  return new GatewaySchema((await client.call(readConfigurationSchema)) as SettingSchema);
}
