/* The panel, the transport bar, the pages and everything else that is drawn over the scene, in Dear ImGui. Interface:
   view/window/panel.h; panel_frame at the end lays out one frame and calls the rest.

   This is one long file on purpose: it is all the C++ of the command. Every function draw_... draws its part at once
   and acts on clicks in it (immediate mode). Lengths are in units of the window; at_scale turns lengths of the design
   into them. */
#include "view/window/panel.h"

#include "base/platform.h"
#include "view/window/camera.h"
#include "view/window/files.h"
#include "view/window/hand.h"
#include "view/window/keys.h"
#include "view/window/marks.h"
#include "view/window/pick.h"
#include "view/window/scenes.h"
#include "view/window/simulation.h"
#include "view/window/values.h"
#include "view/window/viewer.h"

#include <algorithm>
#include <backends/imgui_impl_opengl3.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <imgui.h>
#include <string>
#include <vector>

namespace {

float unit = 1.0f;            /* units of the window per unit of the design */
float window_width;           /* in units of the window, of the latest frame; 0: none yet */
ImFont *plain, *bold, *large; /* normal text, headings, titles */

const ImVec4 ink(0.90f, 0.92f, 0.94f, 1.0f), faint(0.56f, 0.61f, 0.66f, 1.0f), accent(0.25f, 0.70f, 0.80f, 1.0f),
    ground(0.086f, 0.098f, 0.118f, 1.0f), raised(0.15f, 0.17f, 0.20f, 1.0f), warning(0.94f, 0.45f, 0.38f, 1.0f);

/* Returns a colour as Dear ImGui draws it, with its opacity times `alpha`. */
ImU32 colour(const ImVec4 &c, float alpha = 1.0f) { return ImGui::GetColorU32(ImVec4(c.x, c.y, c.z, c.w * alpha)); }

/* Returns a length of the design in units of the window. */
float at_scale(float x) { return x * unit; }

/* ---- Looks ------------------------------------------------------------------------------------------------------- */

/* Loads a font file from the usual folders for DejaVu fonts; Dear ImGui's own font if it is not there. */
ImFont *load_font(const char *file, float size) {
    static const ImWchar ranges[] = {0x20, 0xff, 0x2010, 0x2026, 0x2190, 0x2193, 0x2206, 0x2206, 0};
    static const char *const folders[] = {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
                                          "/usr/share/fonts/TTF", "/usr/local/share/fonts/dejavu"};
    ImGuiIO &io = ImGui::GetIO();
    for (const char *folder : folders) {
        char path[256];
        std::snprintf(path, sizeof path, "%s/%s", folder, file);
        FILE *there = std::fopen(path, "rb");
        if (!there) continue;
        std::fclose(there);
        return io.Fonts->AddFontFromFileTTF(path, size, nullptr, ranges);
    }
    ImFontConfig config;
    config.SizePixels = size;
    return io.Fonts->AddFontDefault(&config);
}

/* Sets the colours of Dear ImGui's style. */
void set_colours() {
    ImVec4 *c = ImGui::GetStyle().Colors;
    c[ImGuiCol_Text] = ink;
    c[ImGuiCol_TextDisabled] = faint;
    c[ImGuiCol_WindowBg] = ground;
    c[ImGuiCol_PopupBg] = ImVec4(0.11f, 0.125f, 0.15f, 1.0f);
    c[ImGuiCol_Border] = ImVec4(1, 1, 1, 0.06f);
    c[ImGuiCol_FrameBg] = raised;
    c[ImGuiCol_FrameBgHovered] = ImVec4(0.19f, 0.215f, 0.25f, 1.0f);
    c[ImGuiCol_FrameBgActive] = ImVec4(0.21f, 0.24f, 0.28f, 1.0f);
    c[ImGuiCol_Button] = raised;
    c[ImGuiCol_ButtonHovered] = ImVec4(0.21f, 0.24f, 0.28f, 1.0f);
    c[ImGuiCol_ButtonActive] = ImVec4(0.25f, 0.28f, 0.33f, 1.0f);
    c[ImGuiCol_Header] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_HeaderHovered] = ImVec4(1, 1, 1, 0.05f);
    c[ImGuiCol_HeaderActive] = ImVec4(1, 1, 1, 0.08f);
    c[ImGuiCol_CheckMark] = accent;
    c[ImGuiCol_SliderGrab] = ImVec4(accent.x, accent.y, accent.z, 0.65f);
    c[ImGuiCol_SliderGrabActive] = accent;
    c[ImGuiCol_Separator] = ImVec4(1, 1, 1, 0.07f);
    c[ImGuiCol_ScrollbarBg] = ImVec4(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = ImVec4(1, 1, 1, 0.12f);
}

/* Sets Dear ImGui's style, with lengths for the scale `unit` and the colours above. */
void set_style() {
    ImGuiStyle &s = ImGui::GetStyle();
    s = ImGuiStyle();
    s.WindowRounding = s.PopupRounding = 10.0f;
    s.FrameRounding = s.GrabRounding = s.ScrollbarRounding = 6.0f;
    s.WindowBorderSize = s.FrameBorderSize = 0.0f;
    s.WindowPadding = ImVec2(16, 14);
    s.SelectableTextAlign = ImVec2(0, 0.5f);
    s.WindowMinSize = ImVec2(1, 1); /* boxes fit their text */
    s.FramePadding = ImVec2(10, 5);
    s.ItemSpacing = ImVec2(8, 7);
    s.ScrollbarSize = 9.0f;
    s.GrabMinSize = 8.0f;
    s.ScaleAllSizes(unit);
    set_colours();
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* Draws the heading of a section, which a click opens or closes; open: its state at first. Returns true if the section
   is open and is to be drawn. */
bool draw_section_heading(const char *title, bool open = true) {
    ImGui::Dummy(ImVec2(0, at_scale(2)));
    ImGui::PushFont(bold);
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(at_scale(4), at_scale(4)));
    const bool shown = ImGui::CollapsingHeader(title, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    ImGui::PopFont();
    return shown;
}

/* Writes the name of a value at the left; the next item takes the rest of the line. */
void draw_label(const char *text) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(at_scale(112));
    ImGui::SetNextItemWidth(-FLT_MIN);
}

/* Draws a labelled slider with `text`, which shows its value, at the right. Returns true if the user has
   changed *value. */
bool draw_slider(const char *name, double *value, double low, double high, const char *text) {
    char id[64];
    std::snprintf(id, sizeof id, "##%s", name);
    draw_label(name);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - at_scale(86));
    const bool changed =
        ImGui::SliderScalar(id, ImGuiDataType_Double, value, &low, &high, "", ImGuiSliderFlags_NoInput);
    ImGui::SameLine(ImGui::GetContentRegionMax().x - std::min(ImGui::CalcTextSize(text).x, at_scale(80)));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(at, ImVec2(at.x + at_scale(80), at.y + ImGui::GetFrameHeight()), true);
    ImGui::TextUnformatted(text);
    ImGui::PopClipRect();
    return changed;
}

/* Draws a labelled slider with a logarithmic scale. Returns true if the user has changed *value. */
bool draw_log_slider(const char *name, double *value, double low, double high, const char *text) {
    double power = std::log10(std::max(*value, low));
    if (!draw_slider(name, &power, std::log10(low), std::log10(high), text)) return false;
    *value = std::pow(10.0, power);
    return true;
}

/* Writes a number with three digits that fits beside a slider: 3.13, 313, 313 000, 3.1e9. */
void write_short(double x, const char *unit_is, char *text, size_t size) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.3g", x);
    const double rounded = std::atof(digits);
    const long thousands = (long)(rounded / 1000), rest = (long)rounded % 1000;
    if (std::fabs(rounded) < 1000) std::snprintf(text, size, "%s %s", digits, unit_is);
    else if (rounded < 1e6) std::snprintf(text, size, "%ld %03ld %s", thousands, rest, unit_is);
    else std::snprintf(text, size, "%.1e %s", x, unit_is);
}

/* Writes a length (m) in mm or m. */
void write_length(double metres, char *text, size_t size) {
    if (metres < 0.1) std::snprintf(text, size, "%.3g mm", 1e3 * metres);
    else write_short(metres, "m", text, size);
}

/* Writes a rate (m^3/s) in ml/s, l/s or m^3/s. */
void write_rate(double rate, char *text, size_t size) {
    if (rate < 1e-3) std::snprintf(text, size, "%.3g ml/s", 1e6 * rate);
    else if (rate < 1) std::snprintf(text, size, "%.3g l/s", 1e3 * rate);
    else write_short(rate, "m\xc2\xb3/s", text, size);
}

/* Draws a button, highlighted if it is the chosen one of several. Returns true if it was clicked. */
bool draw_choice(const char *name, bool chosen, float width) {
    if (chosen) {
        ImGui::PushStyleColor(ImGuiCol_Button, accent);
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, accent);
        ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.04f, 0.07f, 0.08f, 1.0f));
    }
    const bool clicked = ImGui::Button(name, ImVec2(width, 0));
    if (chosen) ImGui::PopStyleColor(3);
    return clicked;
}

/* Draws a labelled drop-down list; chosen: the current entry, -1 for none. Returns the entry that was just picked, or
   -1 if there is none. */
int draw_combo(const char *name, const char *const *names, int count, int chosen) {
    char id[64];
    std::snprintf(id, sizeof id, "##%s", name);
    int picked = -1;
    draw_label(name);
    if (!ImGui::BeginCombo(id, chosen >= 0 && chosen < count ? names[chosen] : "")) return -1;
    for (int i = 0; i < count; i++)
        if (ImGui::Selectable(names[i], i == chosen)) picked = i;
    ImGui::EndCombo();
    return picked;
}

/* Writes a volume (m^3) in ml, l or m^3. */
void write_volume(double volume, char *text, size_t size) {
    const double v = std::fabs(volume);
    if (v == 0) std::snprintf(text, size, "0");
    else if (v >= 1) std::snprintf(text, size, "%.4g m\xc2\xb3", volume);
    else if (v >= 1e-3) std::snprintf(text, size, "%.4g l", volume * 1e3);
    else std::snprintf(text, size, "%.4g ml", volume * 1e6);
}

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

/* Draws the section of tools: the tool, the body to drop, brush radius, pour rate and rain. */
void draw_tools(viewer *v) {
    static const char *const names[TOOLS] = {
#define TOOL_TITLE(tool, name, title, digit, help) title,
        TOOL_LIST(TOOL_TITLE)
#undef TOOL_TITLE
    };
    const float space = ImGui::GetStyle().ItemSpacing.x, width = (ImGui::GetContentRegionAvail().x - 3 * space) / 4;
    for (int i = 0; i < TOOLS; i++) {
        if (i % 4) ImGui::SameLine();
        ImGui::BeginDisabled(hand_why_not(v, (viewer_tool)i) != nullptr);
        if (draw_choice(names[i], v->tool == i, width)) hand_choose_tool(v, (viewer_tool)i);
        ImGui::EndDisabled();
    }
    if (v->tool == TOOL_DROP)
        for (int i = 0; i < PROP_COUNT; i++) {
            if (i) ImGui::SameLine();
            if (draw_choice(prop_list[i].title, v->prop == i, width)) v->prop = i;
        }
    char text[64];
    write_length(v->tool == TOOL_DROP ? v->default_size * v->settings.radius : hand_radius(v), text, sizeof text);
    draw_log_slider(v->tool == TOOL_DROP ? "Body size" : "Brush radius", &v->settings.radius, 0.1, 10, text);
    write_rate(hand_rate(v), text, sizeof text);
    draw_log_slider("Pour rate", &v->settings.rate, 0.01, 100, text);
    if (std::strcmp(v->solver, "mac") == 0) return; /* no rain */
    const double most = 3.6e6 * v->default_radius, least = 1e-4 * most;
    double fall = std::max(v->rain, least);
    if (v->rain > 0)
        write_short(v->rain < 1e6 ? v->rain : 1e-3 * v->rain, v->rain < 1e6 ? "mm/h" : "m/h", text, sizeof text);
    if (draw_log_slider("Rain", &fall, least, most, v->rain > 0 ? text : "none"))
        simulation_set_rain(v, fall > 1.01 * least ? fall : 0);
}

/* Draws the slider of a number of the scene, if the solver has it. */
void draw_number(viewer *v, value_number which) {
    if (!values_has(v, which)) return;
    const value_range r = values_range(v, which);
    double value = values_number(v, which);
    char text[64];
    std::snprintf(text, sizeof text, r.format, value);
    if (r.logarithmic ? draw_log_slider(r.name, &value, r.low, r.high, text)
                      : draw_slider(r.name, &value, r.low, r.high, text))
        values_set_number(v, which, value);
}

/* Draws the section of the liquid and its properties. */
void draw_liquid(viewer *v) {
    const char *names[32];
    int count = 0, chosen = -1;
    for (; count < 32 && rn_liquid_at(count); count++) {
        names[count] = rn_liquid_at(count)->name;
        if (std::strcmp(names[count], v->liquid.name) == 0) chosen = count;
    }
    const int picked = draw_combo("Liquid", names, count, chosen);
    char text[64];
    if (picked >= 0) {
        std::snprintf(text, sizeof text, "liquid=%s", names[picked]);
        simulation_set(v, text);
    }
    draw_number(v, NUMBER_VISCOSITY);
    draw_number(v, NUMBER_CONTACT_ANGLE);
    draw_number(v, NUMBER_FRICTION);
}

/* Draws the section of gravity and solver. A change of solver, model, passages or contact restarts the scene. */
void draw_physics(viewer *v) {
    static const char *const names[] = {"Tilt along x", "Tilt along y"};
    double tilt[2] = {v->tilt[0], v->tilt[1]};
    bool tilted = false;
    for (int i = 0; i < 2; i++) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f\xc2\xb0", tilt[i]);
        tilted = draw_slider(names[i], &tilt[i], -45, 45, text) || tilted;
    }
    if (tilted) simulation_set_tilt(v, tilt[0], tilt[1]);
    draw_number(v, NUMBER_COURANT);
    const char *fixed = values_why_fixed(v);
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped("%s", fixed ? fixed : "These restart the scene:");
    ImGui::PopStyleColor();
    ImGui::BeginDisabled(fixed != nullptr);
    for (int i = 0; i < CHOICES; i++) {
        int count;
        if (!values_has_choice(v, (value_choice)i)) continue;
        const int now = values_choice(v, (value_choice)i, &count);
        const int picked = draw_combo(value_lists[i].name, value_lists[i].options, count, now);
        if (picked >= 0) values_choose(v, (value_choice)i, picked);
    }
    ImGui::EndDisabled();
}

/* Draws a check box that shows or hides one kind of mark; bit: a viewer_marks. */
void draw_mark_box(viewer *v, const char *name, unsigned bit) {
    bool on = (v->marks & bit) != 0;
    if (ImGui::Checkbox(name, &on)) v->marks ^= bit;
}

/* Draws the section of colours, views and marks. */
void draw_views(viewer *v) {
    static const char *const overlays[] = {
        "none", "depth", "speed", "layers", "passages", "links", "distance to boundary"}; /* as rn_overlay */
    const int picked = draw_combo("Colours", overlays, 7, v->overlay);
    if (picked >= 0) v->overlay = (rn_overlay)picked;
    const char *names[32];
    const int count = std::min(v->info.view_count, 32);
    for (int i = 0; i < count; i++) names[i] = v->info.views[i].name;
    const int looked = draw_combo("Camera", names, count, v->view);
    if (looked >= 0) camera_look(v, looked);
    draw_mark_box(v, "Arrows", MARKS_ARROWS);
    ImGui::SameLine();
    draw_mark_box(v, "Tiles at rest", MARKS_REST);
    ImGui::SameLine();
    draw_mark_box(v, "Probes", MARKS_PROBES);
}

/* The range of values that a plot shows. */
struct plot_range {
    float low, high;
};

/* Returns the smallest and the greatest value of a line of the history. */
plot_range range_of(const history *h, history_line line) {
    plot_range r = {1e30f, -1e30f};
    for (int i = 0; i < h->count; i++)
        r.low = std::min(r.low, history_value(h, line, i)), r.high = std::max(r.high, history_value(h, line, i));
    return r;
}

/* Writes a value of a plot; `write` is the function of its unit. */
typedef void (*plot_writer)(double value, char *text, size_t size);

void write_factor(double x, char *text, size_t size) { std::snprintf(text, size, "%.2f", x); }
void write_milliseconds(double x, char *text, size_t size) { std::snprintf(text, size, "%.1f ms", x); }
void write_count(double x, char *text, size_t size) { std::snprintf(text, size, "%.0f", x); }
void write_level(double x, char *text, size_t size) { std::snprintf(text, size, "%.4g m", x); }

/* Draws the curve of a line of the history into a rectangle: simulated time to the right, the values of `r` upwards,
   over at least 1 % of the greatest, so that ripples do not look like waves. Returns the number of the value under the
   mouse, with a mark at it, or -1. */
int draw_curve(const history *h, history_line line, plot_range r, ImVec2 low, ImVec2 high) {
    ImDrawList *draw = ImGui::GetWindowDrawList();
    const double begin = history_time(h, 0), end = history_time(h, h->count - 1), span = std::max(end - begin, 1e-30);
    const float tall = std::max(r.high - r.low, std::max(std::fabs(r.high) * 1e-2f, 1e-30f));
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over = ImGui::IsWindowHovered() && mouse.x >= low.x && mouse.x <= high.x &&
                      mouse.y >= low.y - at_scale(20) && mouse.y <= high.y;
    int nearest = -1;
    ImVec2 last, marked;
    for (int i = 0; i < h->count; i++) {
        const ImVec2 here(low.x + (high.x - low.x) * (float)((history_time(h, i) - begin) / span),
                          high.y - (high.y - low.y) * (history_value(h, line, i) - r.low) / tall);
        if (i) draw->AddLine(last, here, colour(accent), at_scale(1.5f));
        if (over && (nearest < 0 || std::fabs(here.x - mouse.x) < std::fabs(marked.x - mouse.x)))
            nearest = i, marked = here;
        last = here;
    }
    if (nearest >= 0) draw->AddCircleFilled(marked, at_scale(3), colour(ink));
    return nearest;
}

/* Draws one line of the history over simulated time, with its name, its latest value or the one under the mouse, its
   smallest and greatest value and the times at its ends. from_zero: the scale begins at 0. */
void draw_plot(const history *h, history_line line, const char *name, plot_writer write, bool from_zero) {
    const float width = ImGui::GetContentRegionAvail().x, height = at_scale(74), pad = at_scale(8);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImDrawList *draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), colour(raised, 0.75f), at_scale(6));
    plot_range r = range_of(h, line);
    char value[64] = "", text[128] = "", low[48], high[48];
    int under = -1;
    if (h->count) {
        write((double)r.low, low, sizeof low), write((double)r.high, high, sizeof high);
        if (from_zero) r.low = std::min(r.low, 0.0f);
        under = draw_curve(h, line, r, ImVec2(corner.x + pad, corner.y + at_scale(25)),
                           ImVec2(corner.x + width - pad, corner.y + height - at_scale(21)));
        write((double)history_value(h, line, under >= 0 ? under : h->count - 1), value, sizeof value);
    }
    if (under >= 0) std::snprintf(text, sizeof text, "%s at %.3g s", value, history_time(h, under));
    else std::snprintf(text, sizeof text, "%s", value);
    draw->AddText(ImVec2(corner.x + pad, corner.y + at_scale(3)), colour(faint), name);
    draw->AddText(ImVec2(corner.x + width - ImGui::CalcTextSize(text).x - pad, corner.y + at_scale(3)), colour(ink),
                  text);
    if (h->count) {
        const float y = corner.y + height - at_scale(17), small = plain->FontSize * 0.8f;
        const auto wide = [&](const char *t) { return plain->CalcTextSizeA(small, FLT_MAX, 0, t).x; };
        std::snprintf(text, sizeof text, "%s to %s", low, high);
        draw->AddText(plain, small, ImVec2(corner.x + (width - wide(text)) / 2, y), colour(faint), text);
        std::snprintf(text, sizeof text, "%.3g s", history_time(h, 0));
        draw->AddText(plain, small, ImVec2(corner.x + pad, y), colour(faint), text);
        std::snprintf(text, sizeof text, "%.3g s", history_time(h, h->count - 1));
        draw->AddText(plain, small, ImVec2(corner.x + width - wide(text) - pad, y), colour(faint), text);
    }
    ImGui::Dummy(ImVec2(width, height));
}

/* Draws the section of plots. */
void draw_plots(const viewer *v) {
    const history *h = &v->plots;
    draw_plot(h, HISTORY_VOLUME, "Volume", write_volume, false);
    draw_plot(h, HISTORY_SPEED, "\xc3\x97 real time", write_factor, true);
    draw_plot(h, HISTORY_STEP, "Step", write_milliseconds, true);
    draw_plot(h, HISTORY_SURFACE, "Surface", write_milliseconds, true);
    draw_plot(h, HISTORY_DRAWING, "Drawing", write_milliseconds, true);
    draw_plot(h, HISTORY_SUBSTEPS, "Substeps", write_count, true);
    int shown = 0;
    for (int i = 0; i < v->info.probe_count && shown < HISTORY_PROBES; i++) {
        if (v->info.probes[i].is_section) continue;
        char name[96];
        std::snprintf(name, sizeof name, "Level at %s", v->info.probes[i].name);
        draw_plot(h, (history_line)(HISTORY_LEVEL + shown++), name, write_level, false);
    }
}

/* Draws the section of volumes: where liquid came from and went to. */
void draw_ledger(const viewer *v) {
    const rn_audit *a = &v->frame->audit;
    const struct {
        const char *name;
        double volume;
    } rows[] = {{"Poured", a->poured},         {"Drained", a->drained},
                {"Left over edges", a->left},  {"Displaced", a->displaced},
                {"By bodies", a->body_offset}, {"Refused", a->refused},
                {"Present", a->present},       {"Drift", a->drift}};
    for (const auto &row : rows) {
        char text[64];
        write_volume(row.volume, text, sizeof text);
        ImGui::PushStyleColor(ImGuiCol_Text, faint);
        ImGui::TextUnformatted(row.name);
        ImGui::PopStyleColor();
        ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(text).x);
        ImGui::TextUnformatted(text);
    }
}

/* Draws the section of buttons that save files. */
void draw_files(viewer *v) {
    const float space = ImGui::GetStyle().ItemSpacing.x, width = (ImGui::GetContentRegionAvail().x - space) / 2;
    if (ImGui::Button("Save checkpoint", ImVec2(width, 0))) files_save(v, FILE_CHECKPOINT, nullptr);
    ImGui::SameLine();
    if (ImGui::Button("Save as scene", ImVec2(width, 0))) files_save(v, FILE_SCENE, nullptr);
    if (ImGui::Button("Save input log", ImVec2(width, 0))) files_save(v, FILE_INPUTS, nullptr);
    ImGui::SameLine();
    if (ImGui::Button("Save picture", ImVec2(width, 0))) files_save_picture(v, nullptr);
    const bool filming = v->record.writer != nullptr;
    char text[64];
    std::snprintf(text, sizeof text, "End film (%d pictures)###film", v->record.frames);
    const float third = at_scale(52), rest = ImGui::GetContentRegionAvail().x - FILM_FORMATS * (third + space);
    if (draw_choice(filming ? text : "Record film###film", filming, filming ? -FLT_MIN : rest)) {
        if (filming) files_end_film(v);
        else files_start_film(v, nullptr);
    }
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, ImGui::GetStyle().FramePadding.y));
    for (int i = 0; i < FILM_FORMATS && !filming; i++) {
        ImGui::SameLine();
        if (draw_choice(film_formats[i], v->film_format == i, third)) v->film_format = i;
    }
    ImGui::PopStyleVar();
    if (ImGui::Button("Open a saved file \xe2\x80\xa6", ImVec2(-FLT_MIN, 0))) keys_run(v, keys_find("ctrl+O"));
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped("Files are saved in the current folder. To open a scene, checkpoint, input log, mesh, volume or "
                       "terrain from elsewhere, drop it on the window.");
    ImGui::PopStyleColor();
}

/* Draws the panel at the right side of the window. */
void draw_panel(viewer *v, const panel_input *in) {
    const float width = (float)panel_width(v);
    ImGui::SetNextWindowPos(ImVec2((float)in->width - width, 0));
    ImGui::SetNextWindowSize(ImVec2(width, (float)in->height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
    ImGui::Begin("panel", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
    const float top = ImGui::GetCursorPosY(), button = at_scale(66);
    if (v->panel_scroll != 0)
        ImGui::SetScrollY(ImGui::GetScrollY() + (float)v->panel_scroll * ImGui::GetTextLineHeightWithSpacing());
    v->panel_scroll = 0;
    ImGui::SetCursorPosX(ImGui::GetContentRegionMax().x - button);
    if (ImGui::Button("Scenes", ImVec2(button, 0))) keys_run(v, keys_find("C"));
    ImGui::SetCursorPosY(top + at_scale(3)); /* on one line with the text of the button */
    ImGui::PushFont(large);
    ImGui::PushTextWrapPos(ImGui::GetContentRegionMax().x - button - at_scale(8));
    ImGui::TextWrapped("%s", v->title);
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    if (draw_section_heading("TOOLS")) draw_tools(v);
    if (draw_section_heading("LIQUID")) draw_liquid(v);
    if (draw_section_heading("GRAVITY AND SOLVER")) draw_physics(v);
    if (draw_section_heading("VIEW")) draw_views(v);
    if (draw_section_heading("LEDGER")) draw_ledger(v);
    if (draw_section_heading("PLOTS")) draw_plots(v);
    if (draw_section_heading("FILES")) draw_files(v);
    ImGui::End();
    ImGui::PopStyleVar();
}

/* ---- Over the picture -------------------------------------------------------------------------------------------- */

enum icon { ICON_RESET, ICON_PLAY, ICON_PAUSE, ICON_STEP };

/* Draws a round button with an icon; lit: highlighted. Returns true if it was clicked. */
bool draw_icon_button(const char *id, icon which, bool lit) {
    const float side = at_scale(34);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool clicked = ImGui::InvisibleButton(id, ImVec2(side, side));
    ImDrawList *draw = ImGui::GetWindowDrawList();
    const ImVec2 m(corner.x + side / 2, corner.y + side / 2);
    const float r = at_scale(7);
    const bool over = ImGui::IsItemHovered();
    if (lit || over) draw->AddCircleFilled(m, side / 2, lit ? colour(accent) : colour(ink, 0.12f));
    const ImU32 c = lit ? colour(ImVec4(0.04f, 0.07f, 0.08f, 1)) : colour(ink);
    const auto triangle = [&](float x, float s) {
        draw->AddTriangleFilled(ImVec2(m.x + x - s, m.y - std::fabs(s) * 1.1f),
                                ImVec2(m.x + x - s, m.y + std::fabs(s) * 1.1f), ImVec2(m.x + x + s, m.y), c);
    };
    if (which == ICON_PLAY) triangle(r * 0.2f, r);
    if (which == ICON_PAUSE)
        for (int i = -1; i <= 1; i += 2)
            draw->AddRectFilled(ImVec2(m.x + (float)i * r * 0.55f - r * 0.28f, m.y - r),
                                ImVec2(m.x + (float)i * r * 0.55f + r * 0.28f, m.y + r), c, 1);
    if (which == ICON_STEP || which == ICON_RESET) {
        const float way = which == ICON_STEP ? 1.0f : -1.0f;
        triangle(-way * r * 0.25f, way * r * 0.75f);
        draw->AddRectFilled(ImVec2(m.x + way * r * 0.75f - r * 0.16f, m.y - r * 0.85f),
                            ImVec2(m.x + way * r * 0.75f + r * 0.16f, m.y + r * 0.85f), c);
    }
    return clicked;
}

/* For small windows over the scene. */
const ImGuiWindowFlags floating = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                  ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                                  ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;

/* Draws the bar at the bottom: reset, play, step and speed. */
void draw_transport(viewer *v, const panel_input *in) {
    const float wide = (float)(in->width - panel_width(v));
    ImGui::SetNextWindowPos(ImVec2(wide / 2, (float)in->height - at_scale(14)), 0, ImVec2(0.5f, 1.0f));
    ImGui::SetNextWindowBgAlpha(0.88f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, at_scale(24));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(at_scale(10), at_scale(6)));
    ImGui::Begin("transport", nullptr, floating);
    if (draw_icon_button("reset", ICON_RESET, false)) scenes_reset(v);
    ImGui::SameLine();
    if (draw_icon_button("play", v->playing ? ICON_PAUSE : ICON_PLAY, true)) simulation_play(v, !v->playing);
    ImGui::SameLine();
    if (draw_icon_button("step", ICON_STEP, false)) simulation_step(v);
    ImGui::SameLine(0, at_scale(14));
    char text[32];
    std::snprintf(text, sizeof text, v->settings.speed < 1 ? "1/%.0f \xc3\x97" : "%.0f \xc3\x97",
                  v->settings.speed < 1 ? 1 / v->settings.speed : v->settings.speed);
    const float middle = (at_scale(34) - ImGui::GetFrameHeight()) / 2;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + middle);
    if (ImGui::Button("\xe2\x80\x93##slower")) simulation_set_speed(v, v->settings.speed / 2);
    ImGui::SameLine(0, at_scale(6));
    const float width = at_scale(48), x = ImGui::GetCursorPosX();
    ImGui::SetCursorPosX(x + (width - ImGui::CalcTextSize(text).x) / 2);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(0, 0);
    ImGui::SetCursorPosX(x + width + at_scale(6));
    if (ImGui::Button("+##faster")) simulation_set_speed(v, v->settings.speed * 2);
    ImGui::End();
    ImGui::PopStyleVar(2);
}

/* Returns a text with its lines broken at spaces, so that none is wider than `widest`, except for longer words. (Dear
   ImGui also breaks lines after a point, within a number.) */
std::string break_lines(const char *text, float widest) {
    std::string broken(text);
    size_t begin = 0, space = 0;
    for (size_t i = 0; i <= broken.size(); i++) {
        if (i < broken.size() && broken[i] != ' ') continue;
        const bool fits = ImGui::CalcTextSize(broken.data() + begin, broken.data() + i).x <= widest;
        if (!fits && space > begin) broken[space] = '\n', begin = space + 1;
        space = i;
    }
    return broken;
}

/* Draws a text in a rounded box, wrapped at a width of `widest`. share: the part of the box that lies left of and above
   `at`, 0 to 1 along each axis. */
void draw_text_box(const char *id, const char *text, ImVec2 at, ImVec2 share, const ImVec4 &ink_is, float alpha,
                   float widest) {
    ImGui::SetNextWindowPos(at, 0, share);
    ImGui::SetNextWindowBgAlpha(0.8f * alpha);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, at_scale(12));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(at_scale(12), at_scale(6)));
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, alpha);
    ImGui::PushStyleColor(ImGuiCol_Text, ink_is);
    ImGui::Begin(id, nullptr, floating | ImGuiWindowFlags_NoInputs);
    ImGui::PushTextWrapPos(widest + at_scale(24)); /* for words that are too long */
    ImGui::TextUnformatted(break_lines(text, widest).c_str());
    ImGui::PopTextWrapPos();
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
}

float status_end; /* y below which a notice is free of the status; set by draw_status */

/* Draws the line of viewer_status at the top left, and sets status_end. */
void draw_status(const viewer *v, const panel_input *in) {
    char text[VIEWER_TEXT];
    const float widest = (float)(in->width - panel_width(v)) - at_scale(60);
    viewer_status(v, text, sizeof text);
    draw_text_box("status", text, ImVec2(at_scale(14), at_scale(14)), ImVec2(0, 0), ink, 1.0f, widest);
    status_end = at_scale(14 + 12 + 18) + ImGui::CalcTextSize(break_lines(text, widest).c_str()).y;
}

/* Returns the speed (m/s) of the fastest vertex of the surface, where the scale of colours ends. */
double fastest_seen(const rn_mesh *m) {
    double most = 0;
    for (size_t i = 0; m->velocities && i < m->vertex_count; i++) {
        const float *u = m->velocities + 3 * i;
        most = std::max(most, (double)(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    return std::sqrt(most);
}

/* Draws a scale of colours with texts at its ends. */
void draw_ramp(const char *left, const char *right) {
    static const ImU32 ramp[] = {IM_COL32(68, 1, 84, 255), IM_COL32(59, 82, 139, 255), IM_COL32(33, 145, 140, 255),
                                 IM_COL32(94, 201, 98, 255), IM_COL32(253, 231, 37, 255)};
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float wide = at_scale(34), high = at_scale(10);
    for (int i = 0; i < 4; i++)
        ImGui::GetWindowDrawList()->AddRectFilledMultiColor(ImVec2(corner.x + wide * (float)i, corner.y),
                                                            ImVec2(corner.x + wide * (float)(i + 1), corner.y + high),
                                                            ramp[i], ramp[i + 1], ramp[i + 1], ramp[i]);
    ImGui::Dummy(ImVec2(4 * wide, high));
    ImGui::TextUnformatted(left);
    ImGui::SameLine(at_scale(16) + 4 * wide - ImGui::CalcTextSize(right).x);
    ImGui::TextUnformatted(right);
}

/* Returns the colour of a layer, as the renderer's shader overlay_fragment.glsl makes it, for the screen. */
ImVec4 layer_colour(int layer) {
    const float shift[3] = {0.58f, 0.25f, 0.92f};
    float c[3];
    for (int i = 0; i < 3; i++) {
        const float around = 0.5f + 0.5f * std::cos(6.2831853f * ((float)layer * 0.381966f + shift[i]));
        c[i] = std::pow(0.06f + 0.62f * around * around, 1 / 2.2f);
    }
    return ImVec4(c[0], c[1], c[2], 1);
}

/* Draws a small square of a colour, and a text after it. */
void draw_swatch(const ImVec4 &c, const char *text) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float side = ImGui::GetTextLineHeight();
    ImGui::GetWindowDrawList()->AddRectFilled(corner, ImVec2(corner.x + side, corner.y + side), colour(c), at_scale(3));
    ImGui::Dummy(ImVec2(side, side));
    ImGui::SameLine();
    ImGui::TextUnformatted(text);
}

ImDrawList *legend; /* what draw_legend has drawn in this frame; NULL: nothing */
bool marks_drawn;   /* panel_draw_marks has drawn the marks of this frame */

/* Returns how far above the bottom of the window things in its corners are: above the transport bar, or beside it. */
float corner_lift(const viewer *v, const panel_input *in) {
    return (float)(in->width - panel_width(v)) < at_scale(620) ? at_scale(78) : at_scale(14);
}

/* Draws what the colours of the overlay mean, at the bottom left; sets `legend`. */
void draw_legend(const viewer *v, const panel_input *in) {
    legend = nullptr;
    if (v->overlay == RN_OVERLAY_NONE) return;
    char text[48];
    ImGui::SetNextWindowPos(ImVec2(at_scale(14), (float)in->height - corner_lift(v, in)), 0, ImVec2(0, 1));
    ImGui::SetNextWindowBgAlpha(0.8f);
    ImGui::Begin("legend", nullptr, floating | ImGuiWindowFlags_NoInputs);
    legend = ImGui::GetWindowDrawList();
    switch (v->overlay) {
    case RN_OVERLAY_DEPTH:
        std::snprintf(text, sizeof text, "%.3g m", v->frame->stats.deepest);
        ImGui::TextUnformatted("Depth");
        draw_ramp("0", text);
        break;
    case RN_OVERLAY_SPEED:
        std::snprintf(text, sizeof text, "%.3g m/s", fastest_seen(&v->frame->surface));
        ImGui::TextUnformatted("Speed");
        draw_ramp("0", text);
        break;
    case RN_OVERLAY_LAYERS:
        ImGui::TextUnformatted("Layers");
        for (int i = 0; i < std::min(v->frame->columns.layers, 6); i++) {
            std::snprintf(text, sizeof text, i ? "%d" : "%d, the lowest", i + 1);
            draw_swatch(layer_colour(i), text);
        }
        break;
    case RN_OVERLAY_DISTANCE:
        ImGui::TextUnformatted("Distance to boundary");
        draw_ramp("far", "at it");
        break;
    case RN_OVERLAY_FLOODED: draw_swatch(ImVec4(0.93f, 0.30f, 0.75f, 1), "Full passages"); break;
    default: ImGui::TextUnformatted("Edges of the triangles"); break;
    }
    ImGui::End();
}

/* Shows at the bottom right of the scene that a film is being made, with the number of its pictures. */
void draw_film_sign(const viewer *v, const panel_input *in) {
    if (!v->record.writer) return;
    char text[48];
    std::snprintf(text, sizeof text, "    REC  %d", v->record.frames);
    const ImVec2 at((float)(in->width - panel_width(v)) - at_scale(14), (float)in->height - corner_lift(v, in));
    draw_text_box("film", text, at, ImVec2(1, 1), ink, 1.0f, at_scale(300));
    const ImVec2 size = ImGui::CalcTextSize(text);
    ImGui::GetForegroundDrawList()->AddCircleFilled(
        ImVec2(at.x - size.x - at_scale(4), at.y - at_scale(6) - size.y / 2), at_scale(5), colour(warning));
}

/* Draws the latest notice at the top, until it fades. */
void draw_notice(const viewer *v, const panel_input *in) {
    const double age = rn_clock() - v->notice_time, stay = v->notice_is_bad ? 12 : 5;
    if (!*v->notice || (age > stay && !in->notices_stay)) return;
    const float alpha = in->notices_stay ? 1.0f : (float)std::min(1.0, (stay - age) / 0.5);
    const float wide = (float)(in->width - panel_width(v));
    draw_text_box("notice", v->notice, ImVec2(wide / 2, std::max(status_end, at_scale(58))), ImVec2(0.5f, 0),
                  v->notice_is_bad ? warning : ink, alpha, std::min(wide * 0.8f, at_scale(620)));
}

double canvas_width, canvas_height; /* of the picture, in units of the window; set by draw_marks */

marks_list found; /* on the newest frame; reused by every frame */

/* Returns what marks are found from: the newest frame, in units of the window. */
marks_source source_of_marks(const viewer *v) {
    marks_source of = {};
    of.camera = &v->camera;
    of.columns = &v->frame->columns;
    of.bodies = &v->frame->bodies;
    of.resting = &v->frame->resting;
    of.low = v->info.low;
    of.high = v->info.high;
    of.fastest = v->frame->stats.fastest;
    of.width = canvas_width;
    of.height = canvas_height;
    of.apart = (double)at_scale(16);
    return of;
}

/* Draws arrows along the flow. */
void draw_arrows(const viewer *v, ImDrawList *draw) {
    const marks_source of = source_of_marks(v);
    marks_find_arrows(&found, &of);
    for (size_t i = 0; i < found.arrow_count; i++) {
        const marks_arrow &arrow = found.arrows[i];
        const ImVec2 p(arrow.from[0], arrow.from[1]), q(arrow.to[0], arrow.to[1]);
        const float dx = q.x - p.x, dy = q.y - p.y, length = std::max(std::hypot(dx, dy), 1e-3f), h = at_scale(5);
        const ImVec2 back(q.x - dx / length * h, q.y - dy / length * h),
            aside(-dy / length * h * 0.5f, dx / length * h * 0.5f);
        draw->AddLine(p, q, IM_COL32(255, 255, 255, 200), at_scale(1.4f));
        draw->AddTriangleFilled(q, ImVec2(back.x + aside.x, back.y + aside.y),
                                ImVec2(back.x - aside.x, back.y - aside.y), IM_COL32(255, 255, 255, 230));
    }
}

/* Fills the liquid at rest with a translucent colour, and draws the sides of its tiles. */
void draw_resting_tiles(const viewer *v, ImDrawList *draw) {
    const marks_source of = source_of_marks(v);
    const ImDrawListFlags flags = draw->Flags;
    draw->Flags &= ~ImDrawListFlags_AntiAliasedFill; /* no seams between patches */
    marks_find_resting(&found, &of);
    for (size_t i = 0; i < found.patch_count; i++) {
        const marks_patch &patch = found.patches[i];
        ImVec2 corner[4];
        for (int k = 0; k < 4; k++) corner[k] = ImVec2(patch.corner[k][0], patch.corner[k][1]);
        draw->AddQuadFilled(corner[0], corner[1], corner[2], corner[3], IM_COL32(90, 220, 150, 70));
        for (int k = 0; k < 4; k++)
            if (patch.sides >> k & 1)
                draw->AddLine(corner[k], corner[(k + 1) % 4], IM_COL32(90, 220, 150, 200), at_scale(1));
    }
    draw->Flags = flags;
}

/* Returns the height (m) of the surface of the column that a probe measures: the one around its height, or else the
   next one below; that of the probe itself if there is none. */
double height_at_probe(const rn_surface_columns *c, rn_vec3 at) {
    const int x = (int)std::floor((at.x - (double)c->origin_x) / (double)c->cell_size),
              y = (int)std::floor((at.y - (double)c->origin_y) / (double)c->cell_size);
    if (!c->base.data || x < 0 || y < 0 || x >= c->cells_x || y >= c->cells_y) return at.z;
    for (int layer = c->layers - 1; layer >= 0; layer--) {
        const ptrdiff_t place = layer * c->base.layer_stride + y * c->base.row_stride + x;
        const double base = (double)c->datum + (double)c->base.data[place];
        if (c->base.data[place] < RN_NO_COLUMN && base <= at.z) return base + (double)c->depth.data[place];
    }
    return at.z;
}

/* Marks probes that are points, on the surface, with their names on a dark ground. */
void draw_probe_marks(const viewer *v, ImDrawList *draw) {
    for (int i = 0; i < v->info.probe_count; i++) {
        double pixel[2];
        const rn_probe *probe = &v->info.probes[i];
        const rn_vec3 place = {probe->at.x, probe->at.y, height_at_probe(&v->frame->columns, probe->at)};
        if (probe->is_section || !pick_pixel(&v->camera, place, canvas_width, canvas_height, pixel)) continue;
        const ImVec2 at((float)pixel[0], (float)pixel[1]), size = ImGui::CalcTextSize(probe->name);
        const ImVec2 text(at.x + at_scale(14), at.y - size.y / 2);
        draw->AddRectFilled(ImVec2(text.x - at_scale(6), text.y - at_scale(3)),
                            ImVec2(text.x + size.x + at_scale(6), text.y + size.y + at_scale(3)), colour(ground, 0.8f),
                            at_scale(6));
        draw->AddCircleFilled(at, at_scale(5), colour(ground));
        draw->AddCircleFilled(at, at_scale(4), colour(accent));
        draw->AddText(text, colour(ink), probe->name);
    }
}

/* Draws a circle where the tool would act. */
void draw_brush_ring(const viewer *v, ImDrawList *draw) {
    if (v->tool == TOOL_LOOK || v->tool == TOOL_DRAG || !v->over || panel_wants_mouse()) return;
    const double radius = v->tool == TOOL_DROP ? 0.5 * v->default_size * v->settings.radius : hand_radius(v);
    ImVec2 ring[48];
    for (int i = 0; i < 48; i++) {
        const double turn = 6.28318530718 * i / 48;
        double pixel[2];
        if (!pick_pixel(&v->camera, {v->hit.x + radius * std::cos(turn), v->hit.y + radius * std::sin(turn), v->hit.z},
                        canvas_width, canvas_height, pixel))
            return;
        ring[i] = ImVec2((float)pixel[0], (float)pixel[1]);
    }
    draw->AddPolyline(ring, 48, v->working ? colour(accent) : IM_COL32(255, 255, 255, 170), ImDrawFlags_Closed,
                      at_scale(1.8f));
}

/* Draws what is drawn onto the scene and is in saved pictures too: resting tiles, arrows and probes. */
void draw_marks(const viewer *v, const panel_input *in) {
    canvas_width = in->width - panel_width(v), canvas_height = in->height;
    ImDrawList *draw = ImGui::GetBackgroundDrawList();
    draw->PushClipRect(ImVec2(0, 0), ImVec2((float)canvas_width, (float)canvas_height));
    if (v->frame->columns.base.data && (v->marks & MARKS_REST)) draw_resting_tiles(v, draw);
    if (v->frame->columns.base.data && (v->marks & MARKS_ARROWS)) draw_arrows(v, draw);
    if (v->marks & MARKS_PROBES) draw_probe_marks(v, draw);
    draw->PopClipRect();
}

/* Draws the circle of the brush, in a window of its own, so that saved pictures do not have it. */
void draw_brush(const viewer *v, const panel_input *in) {
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2((float)(in->width - panel_width(v)), (float)in->height));
    ImGui::Begin("brush", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoInputs |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    draw_brush_ring(v, ImGui::GetWindowDrawList());
    ImGui::End();
}

/* ---- Pages ------------------------------------------------------------------------------------------------------- */

/* Darkens the scene behind a page. It is a window of its own, so that saved pictures stay clear. */
void draw_shade(float wide, float high) {
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(wide, high));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.03f, 0.04f, 0.05f, 0.6f));
    ImGui::Begin("shade", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

/* Returns whether pages cover the panel too: the part of the window beside it is too narrow for them. */
bool pages_cover_panel(const viewer *v, const panel_input *in) {
    return (float)(in->width - panel_width(v)) < at_scale(560);
}

/* Begins a page in the middle of the scene, which end_page ends. closes: it has a button "Close". Returns true if that
   button was clicked. */
bool begin_page(const viewer *v, const char *title, const panel_input *in, float width, float height, bool closes) {
    const float beside = (float)(in->width - panel_width(v)), high = (float)in->height;
    const float wide = pages_cover_panel(v, in) ? (float)in->width : beside;
    draw_shade(wide, high);
    ImGui::SetNextWindowPos(ImVec2(wide / 2, high / 2), 0, ImVec2(0.5f, 0.5f));
    ImGui::SetNextWindowSize(ImVec2(std::min(width, wide - at_scale(36)), std::min(height, high - at_scale(36))));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(at_scale(24), at_scale(20)));
    ImGui::Begin(title, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings);
    ImGui::PushFont(large);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(title);
    ImGui::PopFont();
    if (!closes) return false;
    ImGui::SameLine(ImGui::GetContentRegionMax().x - at_scale(70));
    return ImGui::Button("Close", ImVec2(at_scale(70), 0));
}

/* Ends the page that begin_page began. */
void end_page() {
    ImGui::End();
    ImGui::PopStyleVar();
}

/* Draws a line of the help page from key `first` on: the first two of the keys that share a help, and what they do.
   Returns the index of the next key with a help of its own. */
int draw_key_row(int first) {
    ImDrawList *draw = ImGui::GetWindowDrawList();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float high = ImGui::GetTextLineHeight() + at_scale(4), text = at_scale(146);
    float x = corner.x;
    int next = first;
    for (int shown = 0; next == first || (next < view_key_count && !view_keys[next].help); next++, shown++) {
        if (shown > 1) continue; /* further directions */
        const char *name = view_keys[next].name, *plus = std::strrchr(name, '+');
        if (shown && plus && plus[1] && std::strchr(view_keys[first].name, '+'))
            name = plus + 1; /* shift+left, right */
        const ImVec2 size = ImGui::CalcTextSize(name);
        const float wide = std::max(size.x + at_scale(12), at_scale(24));
        draw->AddRectFilled(ImVec2(x, corner.y), ImVec2(x + wide, corner.y + high),
                            colour(ImVec4(0.20f, 0.23f, 0.27f, 1)), at_scale(4));
        draw->AddText(ImVec2(x + (wide - size.x) / 2, corner.y + at_scale(2)), colour(ink), name);
        x += wide + at_scale(4);
    }
    draw->AddText(ImVec2(std::max(corner.x + text, x + at_scale(6)), corner.y + at_scale(2)), colour(ink),
                  view_keys[first].help);
    ImGui::Dummy(ImVec2(text + ImGui::CalcTextSize(view_keys[first].help).x, high));
    return next;
}

/* Returns how many lines of the help page the group that begins with key `first` takes, with its heading. */
int count_group_lines(int first) {
    int lines = 2;
    for (int i = first; i < view_key_count && std::strcmp(view_keys[i].group, view_keys[first].group) == 0; i++)
        lines += view_keys[i].help != nullptr;
    return lines;
}

/* Draws the keys of the group that begins with key `first`, under its heading. Returns the first key of the next
   group. */
int draw_key_group(int first) {
    ImGui::Dummy(ImVec2(0, at_scale(4)));
    ImGui::PushFont(bold);
    ImGui::TextColored(accent, "%s", view_keys[first].group);
    ImGui::PopFont();
    int i = first;
    while (i < view_key_count && std::strcmp(view_keys[i].group, view_keys[first].group) == 0) i = draw_key_row(i);
    return i;
}

/* Draws the page of all keys, in up to three columns. A group is not divided. */
void draw_help_page(viewer *v, const panel_input *in) {
    if (begin_page(v, "Keys", in, at_scale(1000), at_scale(760), true)) v->page = PAGE_NONE;
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped(
        "Left button: use the tool, or turn the view. Right button: turn. Middle button: pan. Wheel: zoom.");
    ImGui::PopStyleColor();
    const float wide = ImGui::GetContentRegionAvail().x;
    const int columns = wide > at_scale(890) ? 3 : wide > at_scale(590) ? 2 : 1;
    int total = 0, line = 0;
    for (int i = 0; i < view_key_count; i++)
        if (i == 0 || std::strcmp(view_keys[i].group, view_keys[i - 1].group) != 0) total += count_group_lines(i);
    ImGui::BeginChild("list");
    if (v->page_scroll != 0)
        ImGui::SetScrollY(ImGui::GetScrollY() + 3 * (float)v->page_scroll * ImGui::GetTextLineHeightWithSpacing());
    v->page_scroll = 0;
    if (ImGui::BeginTable("keys", columns)) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        for (int i = 0; i < view_key_count;) {
            const int lines = count_group_lines(i);
            if (line && line + lines > 1.25 * total / columns) ImGui::TableNextColumn(), line = 0;
            line += lines;
            i = draw_key_group(i);
        }
        ImGui::EndTable();
    }
    ImGui::EndChild();
    end_page();
}

/* Scrolls to the entry of a page that was just laid out, if the selection has moved to it. Returns whether it is to be
   opened, because Enter was pressed. */
bool take_selection(viewer *v, int entry) {
    if (entry != v->entry) return false;
    if (v->entry_moved) ImGui::SetScrollHereY(0.5f);
    v->entry_moved = false;
    const bool entered = v->entry_entered;
    v->entry_entered = false;
    return entered;
}

/* Draws one scene of the chooser: its picture, name and title; selected: with a frame. Returns true if it was
   clicked. */
bool draw_card(const thumbnail *p, float width, bool selected) {
    const float high = width * THUMBNAIL_HEIGHT / THUMBNAIL_WIDTH, text = at_scale(80);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::PushID(p->name);
    const bool clicked = ImGui::InvisibleButton("card", ImVec2(width, high + text));
    ImGui::PopID();
    ImDrawList *draw = ImGui::GetWindowDrawList();
    const float round = at_scale(8);
    const bool over = ImGui::IsItemHovered();
    draw->AddRectFilled(corner, ImVec2(corner.x + width, corner.y + high + text), colour(raised), round);
    const ImVec2 end(corner.x + width, corner.y + high);
    if (p->texture)
        draw->AddImageRounded((ImTextureID)(intptr_t)p->texture, corner, end, ImVec2(0, 0), ImVec2(1, 1),
                              IM_COL32_WHITE, round, ImDrawFlags_RoundCornersTop);
    else {
        const ImVec2 size = large->CalcTextSizeA(large->FontSize, FLT_MAX, 0, p->name);
        draw->AddRectFilled(corner, end, IM_COL32(34, 50, 62, 255), round, ImDrawFlags_RoundCornersTop);
        draw->AddText(large, large->FontSize, ImVec2((corner.x + end.x - size.x) / 2, (corner.y + end.y - size.y) / 2),
                      colour(ink, 0.25f), p->name);
    }
    if (over || selected)
        draw->AddRect(corner, ImVec2(corner.x + width, corner.y + high + text), colour(accent, selected ? 1.0f : 0.6f),
                      round, 0, at_scale(selected ? 3.0f : 2.0f));
    draw->PushClipRect(ImVec2(corner.x + at_scale(10), corner.y + high),
                       ImVec2(corner.x + width - at_scale(8), corner.y + high + text), true);
    draw->AddText(bold, bold->FontSize, ImVec2(corner.x + at_scale(10), corner.y + high + at_scale(6)), colour(ink),
                  p->name);
    draw->AddText(plain, plain->FontSize, ImVec2(corner.x + at_scale(10), corner.y + high + at_scale(25)),
                  colour(faint), p->title, nullptr, width - at_scale(20));
    draw->PopClipRect();
    return clicked;
}

/* Draws the page of saved files in the current folder; a click or Enter opens one. */
void draw_files_page(viewer *v, const panel_input *in) {
    const float height = std::min(at_scale(640), at_scale(150) + (float)v->files.count * at_scale(31));
    if (begin_page(v, "Open", in, at_scale(560), height, true)) v->page = PAGE_NONE;
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped(v->files.count ? "Files in the current folder, the newest first. An input log is replayed."
                                      : "The current folder has no checkpoint (.rnl), input log (.input.txt) or scene "
                                        "(.json). F5, F6 and F7 save them there.");
    ImGui::PopStyleColor();
    ImGui::BeginChild("files");
    for (int i = 0; i < v->files.count; i++) {
        const recent *file = &v->files.list[i];
        ImGui::PushStyleColor(ImGuiCol_Header, ImVec4(accent.x, accent.y, accent.z, 0.35f));
        char label[sizeof file->name + 8];
        std::snprintf(label, sizeof label, "  %s", file->name);
        const float y = ImGui::GetCursorPosY();
        const bool clicked = ImGui::Selectable(label, i == v->entry, 0, ImVec2(0, at_scale(24)));
        ImGui::PopStyleColor();
        if (take_selection(v, i) || clicked) scenes_open(v, file->name);
        ImGui::SameLine(ImGui::GetContentRegionMax().x - at_scale(92));
        ImGui::SetCursorPosY(y + (at_scale(24) - ImGui::GetTextLineHeight()) / 2);
        ImGui::TextColored(faint, "%s", file->kind);
        ImGui::SetCursorPosY(y + at_scale(31));
    }
    ImGui::EndChild();
    v->entries = v->files.count, v->entry_columns = 1;
    end_page();
}

/* Draws the page of all scenes; a click or Enter opens one. */
void draw_chooser(viewer *v, const thumbnails *p, const panel_input *in) {
    if (begin_page(v, "Scenes", in, at_scale(1100), at_scale(1000), v->live != nullptr)) v->page = PAGE_NONE;
    ImGui::Dummy(ImVec2(0, at_scale(2)));
    ImGui::BeginChild("cards");
    const float space = at_scale(14), wide = ImGui::GetContentRegionAvail().x - at_scale(12);
    const int columns = std::max(1, (int)((wide + space) / (at_scale(210) + space)));
    const float width = (wide - space * (float)(columns - 1)) / (float)columns;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(space, space));
    for (int i = 0; i < p->count; i++) {
        if (i % columns) ImGui::SameLine();
        const bool clicked = draw_card(&p->list[i], width, i == v->entry);
        if (take_selection(v, i) || clicked) scenes_open(v, p->list[i].name);
    }
    v->entries = p->count, v->entry_columns = columns;
    ImGui::PopStyleVar();
    ImGui::EndChild();
    end_page();
}

/* Shows that a scene is being opened. */
void draw_loading_box(const viewer *v, const panel_input *in) {
    char text[VIEWER_TEXT];
    std::snprintf(text, sizeof text, "Opening %.200s \xe2\x80\xa6", rn_path_name(v->loading.what));
    draw_text_box("loading", text, ImVec2((float)(in->width - panel_width(v)) / 2, (float)in->height / 2),
                  ImVec2(0.5f, 0.5f), ink, 1.0f, at_scale(620));
}

} // namespace

/* ---- The interface ----------------------------------------------------------------------------------------------- */

bool panel_open(double scale) {
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    unit = (float)scale;
    plain = load_font("DejaVuSans.ttf", std::floor(14.0f * unit));
    bold = load_font("DejaVuSans-Bold.ttf", std::floor(12.5f * unit));
    large = load_font("DejaVuSans-Bold.ttf", std::floor(17.0f * unit));
    set_style();
    return ImGui_ImplOpenGL3_Init("#version 330 core");
}

void panel_close(void) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
    marks_free(&found);
}

int panel_width(const viewer *v) {
    const bool narrow = window_width > 0 && window_width < at_scale(500);
    return v->settings.panel && v->live && !narrow ? (int)at_scale(332) : 0;
}

bool panel_wants_mouse(void) { return ImGui::GetIO().WantCaptureMouse; }

void panel_frame(viewer *v, thumbnails *p, const panel_input *in) {
    ImGuiIO &io = ImGui::GetIO();
    window_width = (float)in->width;
    io.DisplaySize = ImVec2((float)in->width, (float)in->height);
    io.DisplayFramebufferScale = ImVec2((float)in->pixels, (float)in->pixels);
    io.DeltaTime = (float)std::max(in->seconds, 1e-4);
    io.MousePos = ImVec2((float)in->x, (float)in->y);
    for (int i = 0; i < BUTTONS; i++) io.MouseDown[i] = in->down[i];
    io.MouseWheel = (float)in->wheel;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    if (v->live) draw_marks(v, in);
    if (v->live && v->page == PAGE_NONE) draw_brush(v, in);
    const bool page = v->page != PAGE_NONE;
    if (panel_width(v) > 0 && !(page && pages_cover_panel(v, in))) draw_panel(v, in);
    if (v->live && !page) draw_transport(v, in);
    if (v->live && !page) draw_status(v, in);
    if (v->live && !page) draw_legend(v, in);
    if (scenes_is_loading(v)) draw_loading_box(v, in);
    if (v->page == PAGE_KEYS) draw_help_page(v, in);
    if (v->page == PAGE_FILES) draw_files_page(v, in);
    if (v->page == PAGE_SCENES) draw_chooser(v, p, in);
    draw_film_sign(v, in);
    draw_notice(v, in);
    ImGui::Render();
    marks_drawn = false;
}

/* Draws either the marks on the scene and the legend, or everything else of the frame that was laid out. */
static void draw_lists(bool marks) {
    ImDrawData part = *ImGui::GetDrawData();
    std::vector<ImDrawList *> lists;
    for (int i = 0; i < part.CmdListsCount; i++) {
        ImDrawList *list = part.CmdLists[i];
        if ((list == ImGui::GetBackgroundDrawList() || list == legend) == marks) lists.push_back(list);
    }
    if (lists.empty()) return;
#if IMGUI_VERSION_NUM < 18980
    part.CmdLists = lists.data();
#else
    part.CmdLists.resize(0);
    for (ImDrawList *list : lists) part.CmdLists.push_back(list);
#endif
    part.CmdListsCount = (int)lists.size();
    ImGui_ImplOpenGL3_RenderDrawData(&part);
}

void panel_draw_marks(void) {
    if (!marks_drawn) draw_lists(true);
    marks_drawn = true;
}

void panel_draw(void) {
    panel_draw_marks();
    draw_lists(false);
}
