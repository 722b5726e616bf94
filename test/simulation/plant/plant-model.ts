import type { PlantPart, Point } from '../world/truth.ts';

/** The channels that an asset has, by the name that the configuration gives them; undefined: there is no such asset. */
export type Channels = ReadonlyMap<string, Point> | undefined;

/** What an asset was from one change to the next. */
export interface AssetVersion {
  readonly channels: Channels;
  /** From this moment on the version may be in force. */
  readonly fromMs: number;
  /** From this moment on it is in force for certain; Infinity while its change is under way. */
  sureMs: number;
  /** Until this moment it may be in force; Infinity until another version is. */
  untilMs: number;
}

/** A change that was requested and not yet answered. */
export interface PendingChange {
  /** The gateway answered that it is in force. */
  confirm(): void;
  /** The gateway answered that nothing was changed. */
  refuse(): void;
}

/** An asset of the plant as clients know it. */
export interface ModelledAsset {
  readonly pid: string;
  readonly part: PlantPart;
}

/** The assets as the configuration describes them, over time: what a read may and must show. */
export class PlantModel {
  readonly #versions = new Map<string, AssetVersion[]>();
  readonly #parts = new Map<string, PlantPart>();
  readonly #nowMs: () => number;

  constructor(parts: readonly PlantPart[], nowMs: () => number) {
    this.#nowMs = nowMs;
    for (const part of parts) {
      for (const { pid, points } of part.assets) {
        const channels = new Map(points.map((point) => [point.channel.name, point]));
        this.#parts.set(pid, part);
        this.#versions.set(pid, [{ channels, fromMs: 0, sureMs: 0, untilMs: Infinity }]);
      }
    }
  }

  /** The assets that may exist now, in the order in which they were made. */
  list(): readonly ModelledAsset[] {
    return [...this.#parts].flatMap(([pid, part]) => {
      const isPossible = this.#versions
        .get(pid)
        ?.some(({ channels, untilMs }) => channels !== undefined && untilMs === Infinity);
      return isPossible === true ? [{ pid, part }] : [];
    });
  }

  /** The versions of an asset that may have been in force at some moment of this period. */
  versionsBetween(pid: string, fromMs: number, toMs: number): readonly AssetVersion[] {
    const versions = this.#versions.get(pid) ?? [];
    return versions.filter((version) => version.fromMs <= toMs && version.untilMs >= fromMs);
  }

  /** Notes that a change of an asset is requested now: from now on it may be in force. */
  begin(part: PlantPart, pid: string, channels: Channels): PendingChange {
    const nowMs = this.#nowMs();
    const known = this.#versions.get(pid) ?? [
      { channels: undefined, fromMs: 0, sureMs: 0, untilMs: Infinity },
    ];
    const next: AssetVersion = { channels, fromMs: nowMs, sureMs: Infinity, untilMs: Infinity };
    this.#parts.set(pid, part);
    this.#versions.set(pid, [...known.slice(-4), next]);
    return {
      confirm: () => {
        next.sureMs = this.#nowMs();
        for (const version of known) version.untilMs = Math.min(version.untilMs, next.sureMs);
      },
      refuse: () => {
        next.untilMs = -Infinity;
        this.#versions.set(
          pid,
          (this.#versions.get(pid) ?? []).filter((version) => version !== next),
        );
      },
    };
  }
}
