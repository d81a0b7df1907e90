// Streams: the server sends what a view shows, now and whenever it changes.
import { CallError } from "./api.js";

const shortest = 500;
const longest = 15000;
// The request was wrong, so that another attempt would fail, too.
const noRetry = 4002;

// Opens a stream, and opens it again after it was interrupted, until `end` is called.
// `request` returns what the server gets at each opening; `receive` gets each answer, and its text; `fail` gets each error.
export function stream(request, { receive, fail = () => {} }) {
  let socket = null;
  let timer = null;
  let delay = shortest;

  function open() {
    const address = new URL("api/stream", location.href);
    address.protocol = "ws:";
    let wasToldWhy = false;
    socket = new WebSocket(address);
    socket.onopen = () => {
      const body = request();
      socket.send(typeof body === "string" ? body : JSON.stringify(body));
    };
    socket.onmessage = ({ data }) => {
      const answer = JSON.parse(data);
      wasToldWhy = Boolean(answer.error);
      if (wasToldWhy) return void fail(new CallError(0, answer));
      delay = shortest;
      receive(answer, data);
    };
    socket.onclose = ({ code }) => {
      if (!wasToldWhy) fail(new CallError(0, { error: "The server does not answer. Is cblite still running?" }));
      if (code === noRetry) return;
      timer = setTimeout(open, delay);
      delay = Math.min(delay * 2, longest);
    };
  }

  open();
  return {
    end() {
      clearTimeout(timer);
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
}
