/** Most curves of one trend: more cannot be told apart. */
export const MAXIMUM_CURVES = 6;

/** A channel of an asset, as links name it. */
export interface CurveName {
  readonly asset: string;
  readonly channel: string;
}

/** Reads the curves of a link, `asset/channel` with commas between; what is none is left out. */
export function parseCurves(text: string): readonly CurveName[] {
  const seen = new Set<string>();
  const curves: CurveName[] = [];
  for (const part of text.split(',')) {
    const [asset = '', channel = '', ...rest] = part.trim().split('/');
    if (asset === '' || channel === '' || rest.length > 0 || seen.has(part.trim())) continue;
    seen.add(part.trim());
    curves.push({ asset, channel });
  }
  return curves.slice(0, MAXIMUM_CURVES);
}

/** Returns curves as links name them. */
export function writeCurves(curves: readonly CurveName[]): string {
  return curves.map(keyOfCurve).join(',');
}

/** Returns the name of a curve. */
export function keyOfCurve({ asset, channel }: CurveName): string {
  return `${asset}/${channel}`;
}
