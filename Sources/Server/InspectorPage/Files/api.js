// Calls of the inspector's API.

export class CallError extends Error {
  constructor(status, answer) {
    const message = answer.error || `the inspector answered with status ${status}`;
    super(message[0].toUpperCase() + message.slice(1));
    this.status = status;
    this.answer = answer;
  }
}

export async function call(method, name, parameters = {}, body = undefined, signal = undefined) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  const target = `api/${name}${query.size > 0 ? `?${query}` : ""}`;
  const options = { method, signal, headers: {} };
  if (body instanceof Blob) {
    options.headers["Content-Type"] = "application/octet-stream";
    options.body = body;
  } else if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(target, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new CallError(0, { error: "The server does not answer. Is cblite still running?" });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new CallError(response.status, answer);
  return answer;
}

export const get = (name, parameters, signal) => call("GET", name, parameters, undefined, signal);
export const post = (name, body, signal) => call("POST", name, {}, body, signal);

export function blobAddress(blob) {
  return `api/blob?${new URLSearchParams({ digest: blob.digest, type: blob.type || "" })}`;
}
