import type { TrendLook } from './trend-look.ts';

interface PictureOptions {
  readonly look: TrendLook;
  /** Heading above the curves: content and time range. */
  readonly lines: readonly string[];
}

const LINE = 20;

/** Returns the panels of a trend as one PNG with its heading. */
export async function drawPicture(
  canvases: readonly HTMLCanvasElement[],
  { look, lines }: PictureOptions,
): Promise<Blob> {
  const ratio = devicePixelRatio;
  const width = Math.max(...canvases.map((canvas) => canvas.width));
  const head = (LINE * lines.length + 12) * ratio;
  const picture = document.createElement('canvas');
  picture.width = width;
  picture.height = head + canvases.reduce((sum, { height }) => sum + height, 0);
  const context = picture.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures');
  context.fillStyle = look.surface;
  context.fillRect(0, 0, width, picture.height);
  context.fillStyle = look.text;
  context.font = `${13 * ratio}px system-ui, sans-serif`;
  for (const [index, line] of lines.entries()) context.fillText(line, 8 * ratio, LINE * (index + 1) * ratio);
  let y = head;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, y);
    y += canvas.height;
  }
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => {
      if (blob === null) reject(new Error('this browser draws no pictures'));
      else resolve(blob);
    }, 'image/png');
  });
}
