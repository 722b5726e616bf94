/** Maximum curves of one trend: more are not distinguishable. */
export const MAXIMUM_CURVES = 6;

/** Channel of an asset, as identified in links. */
export interface CurveName {
  readonly asset: string;
  readonly channel: string;
}

/** Parses the curves of a link, `asset/channel` separated by commas; invalid entries are ignored. */
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

/** Returns the link notation of curves. */
export function writeCurves(curves: readonly CurveName[]): string {
  return curves.map(keyOfCurve).join(',');
}

/** Recorder, with what it records. */
export interface RecordedAssets {
  readonly assets: readonly { readonly asset: string; readonly channels?: readonly string[] | undefined }[];
}

/** True if one of the recorders records a curve. */
export function isCurveRecorded(
  recorders: readonly RecordedAssets[],
  { asset, channel }: CurveName,
): boolean {
  return recorders.some(({ assets }) =>
    assets.some((each) => each.asset === asset && (each.channels?.includes(channel) ?? true)),
  );
}

/** Returns the name of a curve. */
export function keyOfCurve({ asset, channel }: CurveName): string {
  return `${asset}/${channel}`;
}
