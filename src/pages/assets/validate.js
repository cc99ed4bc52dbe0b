// The validator with a script: line numbers, links from findings to their lines, files that are dropped or chosen open in
// the editor, requests over the limit are not sent, and the corrected file can be copied or edited.

const MOST_BYTES = 512 * 1024;

for (const form of document.querySelectorAll('form[data-drop]')) {
  const text = form.querySelector('#text');
  const file = form.querySelector('#file');
  const bound = form.querySelector('[data-bound]');
  const usual = bound.textContent;
  const numbers = numbered(text);
  const check = () => {
    const bytes = (file.files[0]?.size ?? 0) + text.value.length;
    const isTooLarge = bytes > MOST_BYTES;
    bound.textContent = isTooLarge ? `This is ${Math.ceil(bytes / 1024)} KB. ${usual}` : usual;
    bound.classList.toggle('must', isTooLarge);
    for (const button of form.querySelectorAll('button')) button.disabled = isTooLarge;
    numbers.draw();
  };
  /** Opens a file in the editor. One that is too large or not UTF-8 stays in its field and is sent as it is. */
  const openFile = async (chosen) => {
    if (chosen.size <= MOST_BYTES) {
      const bytes = await chosen.arrayBuffer();
      try {
        text.value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        file.value = '';
        numbers.forget();
      } catch {
        // the server recognises its encoding
      }
    }
    check();
  };
  form.addEventListener('input', check);
  text.addEventListener('input', numbers.forget);
  file.addEventListener('change', () => file.files[0] && openFile(file.files[0]));
  form.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return; // a text is dropped as usual
    event.preventDefault();
    form.classList.add('dropping');
  });
  form.addEventListener('dragleave', () => form.classList.remove('dropping'));
  form.addEventListener('drop', (event) => {
    form.classList.remove('dropping');
    const [dropped] = event.dataTransfer.files;
    if (dropped === undefined) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    openFile(dropped);
  });
  for (const link of document.querySelectorAll('a[data-line]'))
    link.addEventListener('click', (event) => {
      if (text.value === '') return; // the numbered file has the line
      event.preventDefault();
      numbers.show(Number(link.dataset.line));
    });
}

/** Line numbers beside a textarea: only those in view, so that a long file costs no more than a short one. */
function numbered(text) {
  const gutter = document.createElement('pre');
  gutter.className = 'gutter';
  gutter.ariaHidden = 'true';
  text.wrap = 'off';
  text.before(gutter);
  let marks = new Map();
  // the first finding of a line is an error where there is one
  for (const link of document.querySelectorAll('a[data-line]')) {
    const isError = link.closest('.finding').classList.contains('error');
    if (isError || !marks.has(link.dataset.line)) marks.set(link.dataset.line, isError ? 'error' : 'warning');
  }
  const lineHeight = () => Number.parseFloat(getComputedStyle(text).lineHeight);
  const draw = () => {
    const height = lineHeight();
    const first = Math.floor(text.scrollTop / height);
    const all = text.value.split('\n').length;
    const last = Math.min(all, first + Math.ceil(text.clientHeight / height) + 1);
    const lines = [];
    for (let line = first + 1; line <= last; line += 1) {
      const number = document.createElement('span');
      number.textContent = line;
      number.className = marks.get(String(line)) ?? '';
      lines.push(number);
    }
    gutter.replaceChildren(...lines);
    const top = Number.parseFloat(getComputedStyle(text).paddingTop) + 1;
    gutter.style.paddingTop = `${top}px`;
    gutter.style.setProperty('--shift', `${first * height - text.scrollTop}px`);
  };
  const forget = () => {
    marks = new Map();
    draw();
  };
  const show = (line) => {
    const lines = text.value.split('\n');
    const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    text.focus({ preventScroll: true });
    text.setSelectionRange(before, before + (lines[line - 1] ?? '').length);
    text.scrollTop = (line - 4) * lineHeight();
    text.scrollLeft = 0;
    text.scrollIntoView({ block: 'nearest' });
  };
  text.addEventListener('scroll', draw);
  new ResizeObserver(draw).observe(text);
  draw();
  return { draw, forget, show };
}

for (const place of document.querySelectorAll('[data-copy]')) {
  const lines = document.getElementById(place.dataset.copy).querySelectorAll('.line code');
  const all = () => `${[...lines].map((line) => line.textContent).join('\n')}\n`;
  const action = (words, act) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second';
    button.textContent = words;
    button.addEventListener('click', () => act(button));
    return button;
  };
  const copy = action('Copy', async (button) => {
    await navigator.clipboard.writeText(all());
    button.textContent = 'Copied';
  });
  const edit = action('Open in the editor', () => {
    const text = document.querySelector('#text');
    text.value = all();
    text.dispatchEvent(new Event('input', { bubbles: true }));
    text.scrollIntoView({ block: 'center' });
    text.focus({ preventScroll: true });
  });
  // browsers give pages over plain http no clipboard
  place.replaceChildren(...(navigator.clipboard ? [copy] : []), edit);
  place.hidden = false;
}
