// Lines for a terminal name the registry as this browser reaches it. Without this they say https://this-registry.
for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;
