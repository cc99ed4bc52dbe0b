// The forms of the API reference: they send what stands in their fields to this registry. Nothing is kept, the key least of all.

/** Characters of an answer that are shown. */
const SHOWN = 200_000;
/** What ends the request of a form that waits for its answer. */
const underWay = new WeakMap();

for (const form of document.querySelectorAll('form.try')) enliven(form);

function enliven(form) {
  for (const control of form.querySelectorAll('[disabled]')) control.disabled = false;
  form.querySelector('button').hidden = false;
  const show = () => {
    form.querySelector('[data-curl]').textContent = curlLine(form, requestOf(form));
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (underWay.has(form)) underWay.get(form).abort();
    else send(form);
  });
  // a browser keeps the fields of a page that is left, and fills them again after a reload or on the way back: not the key
  window.addEventListener('pagehide', () => forgetKey(form));
  window.addEventListener('pageshow', () => {
    forgetKey(form);
    show();
  });
  show();
}

function forgetKey(form) {
  form.querySelector('#api-key').value = '';
}

/** What stands in the fields, as a request of this origin. An empty field asks for nothing. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  let body;
  for (const control of form.querySelectorAll('[data-in]')) {
    const { value, name, tagName } = control;
    const place = control.dataset.in;
    if (place === 'body') body = value;
    else if (place === 'path') path = path.replace(`{${name}}`, () => segment(value));
    else
      for (const one of tagName === 'TEXTAREA' ? value.split('\n') : [value])
        if (one !== '') query.append(name, one);
  }
  const text = query.toString();
  return { method: form.dataset.method, target: text === '' ? path : `${path}?${text}`, body };
}

/** One segment of a path, whatever it holds: browsers take `.` and `..` for steps, even when they are encoded. */
function segment(value) {
  return value === '.' || value === '..' ? '' : encodeURIComponent(value);
}

function curlLine(form, { method, target, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(form.dataset.origin + target)}`];
  if (form.querySelector('#api-key').value !== '') parts.push('-H "Authorization: Bearer $API_KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

/** While an answer comes, the button ends it: a stream has no end of its own. */
async function send(form) {
  const { method, target, body } = requestOf(form);
  const key = form.querySelector('#api-key').value.trim();
  const button = form.querySelector('button');
  const stop = new AbortController();
  const began = performance.now();
  const took = () => `${Math.round(performance.now() - began)} ms`;
  underWay.set(form, stop);
  button.textContent = 'Stop';
  tell(form, 'Waiting for the answer', '', '');
  try {
    const answer = await fetch(target, {
      method,
      body,
      mode: 'same-origin',
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: stop.signal,
      headers: {
        ...(key !== '' && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
    });
    const status = `${answer.status} ${answer.statusText}`;
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    tell(form, `${status}, so far`, headers, '');
    const { text, isCut } = await readSome(answer, (sofar) =>
      tell(form, `${status}, so far`, headers, sofar),
    );
    tell(form, `${status} in ${took()}`, headers, isCut ? text : readable(answer, text));
  } catch (error) {
    if (stop.signal.aborted) form.querySelector('[data-status]').textContent = `Stopped after ${took()}`;
    else tell(form, 'No answer', '', `${error.message}. See whether the registry is still there.`);
  } finally {
    underWay.delete(form);
    button.textContent = 'Send';
  }
}

/** The answer up to what is shown of one; the rest is not asked for. What comes bit by bit is shown so. */
async function readSome(answer, show) {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  const isStream = /^text\/event-stream/.test(answer.headers.get('content-type') ?? '');
  let text = '';
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    if (text.length > SHOWN) {
      await reader.cancel();
      return { text: `${text.slice(0, SHOWN)}\n… and more, which is not shown here`, isCut: true };
    }
    if (done) break;
    if (isStream) show(text);
  }
  return { text, isCut: false };
}

function readable(answer, text) {
  if (!/json/.test(answer.headers.get('content-type') ?? '')) return text;
  try {
    const laidOut = JSON.stringify(JSON.parse(text), null, 2);
    return laidOut.length > 2 * SHOWN ? text : laidOut;
  } catch {
    return text; // as it came
  }
}

function tell(form, status, headers, body) {
  form.querySelector('[data-status]').textContent = status;
  const result = form.querySelector('[data-answer]');
  result.hidden = headers === '' && body === '';
  result.querySelector('[data-headers]').textContent = headers;
  result.querySelector('details').hidden = headers === '';
  result.querySelector('[data-body]').textContent = body;
}
